/**
 * Why a row is there: what it stands on as a picture and in words, and what would remove it; and of a row that
 * is not there, what is missing for it.
 *
 *     row ← a derivation ← the rows that it needs, all of them        another derivation is another reason
 */

import { post } from "./ask.js";
import { element } from "./dom.js";
import { valueText } from "./format.js";
import { drawn } from "./graph.js";
import { gapWords, rowLines, rowWords } from "./why_words.js";

/** @typedef {import("./why_words.js").BaseRow} BaseRow */
/** @typedef {{name: string, type: string}} Column */

const DRAWN = 6; // derivations in the picture
const NODES = 60; // rows in it
const WIDE = 36; // signs in a line of it
const LINES = 3;

export class WhyDialog {
  /** @param {HTMLDialogElement} dialog @param {import("./why_words.js").Shapes} shapes */
  constructor(dialog, shapes) {
    this.dialog = dialog;
    this.shapes = shapes;
    this.title = element("h2", { id: "why-title" });
    this.body = element("div", { class: "why-body", tabindex: "0", role: "region", "aria-labelledby": "why-title" });
    const close = element("button", { type: "button", class: "link", click: () => dialog.close() }, "Close");
    dialog.replaceChildren(element("header", {}, this.title, close), this.body);
  }

  /** @param {string} view @param {Column[]} columns @param {any[]} cells */
  async explain(view, columns, cells) {
    this.#open("Why is this row there?", rowList(columns, cells));
    await this.#ask(view, Object.fromEntries(columns.map(({ name }, at) => [name, cells[at]])), columns);
  }

  /** Ask for the values of a row that is not there. @param {string} view @param {Column[]} columns */
  askWhyNot(view, columns) {
    const inputs = columns.map(({ name, type }) => element("label", {}, `${name} `, element("small", {}, type.toLowerCase()), element("input", { name, autocomplete: "off", placeholder: "null" })));
    const form = element("form", { class: "why-not" }, ...inputs, element("button", { class: "act" }, "Why not?"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const said = new FormData(/** @type {HTMLFormElement} */ (form));
      const where = Object.fromEntries(columns.map(({ name }) => [name, said.get(name) || null]));
      this.#ask(view, where, columns, form);
    });
    this.#open("Why is a row not there?", element("p", { class: "note" }, "Say every value of the row that you expect; an empty field is NULL."), form);
    form.querySelector("input")?.focus();
  }

  #open(/** @type {string} */ title, /** @type {HTMLElement[]} */ ...first) {
    this.title.textContent = title;
    this.body.replaceChildren(...first);
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** @param {string} view @param {Record<string, any>} where @param {Column[]} columns @param {HTMLElement} [after] what stays above the answer */
  async #ask(view, where, columns, after) {
    const stays = after ? [.../** @type {HTMLElement} */ (after.parentElement).children].slice(0, 2) : [...this.body.children];
    this.body.replaceChildren(...stays, element("p", { class: "note", role: "status" }, "Looking …"));
    const answer = await post("/api/why", { view, where }).catch((error) => /** @type {Error} */ (error));
    const told = answer instanceof Error ? [element("p", { class: "wrong", role: "alert" }, answer.message)] : "missing" in answer ? this.#missing(answer) : this.#derived(answer, columns);
    this.body.replaceChildren(...stays, ...told);
  }

  /** @param {any} answer @param {Column[]} columns */
  #derived(answer, columns) {
    const all = answer.derivations.length ? answer.derivations : [answer.witness];
    const count = `${answer.truncated ? "at least " : ""}${answer.count.toLocaleString("en-GB")}`;
    const reasons = answer.count > 1 ? `It is derived in ${count} ways; each alone is enough.` : `It is derived in one way${answer.truncated ? " at least; there may be more" : ""}, from the rows below.`;
    return [
      element("p", { class: "why-count", role: "status" }, reasons),
      element("div", { class: "why-graph", tabindex: "0", role: "region", "aria-label": "The derivation as a picture" }, this.#picture(answer, all, columns)),
      ...section("What it stands on", answer.witness.map((/** @type {BaseRow} */ row) => this.#words(row))),
      ...section("and on what is not there", answer.absent.map((/** @type {any} */ absent) => `no row of ${absent.relation}${absent.key.length ? ` with ${absent.key.map((/** @type {any} */ value) => valueText(value, "")).join(", ")}` : ""}`)),
      ...section("It would go if these went", answer.cuts.map((/** @type {BaseRow[]} */ cut) => cut.map((row) => this.#words(row)).join(" and "))),
    ];
  }

  /** @param {any} answer */
  #missing(answer) {
    const gaps = answer.missing.map((/** @type {import("./why_words.js").Gap} */ gap) => gapWords(gap, this.shapes));
    const more = answer.truncated ? [element("p", { class: "note" }, "There is more; the search ended after a quarter of a second.")] : [];
    return [...section("What is missing", gaps.length ? gaps : ["nothing was found that would bring it"]), ...more];
  }

  #words(/** @type {BaseRow} */ row) {
    return rowWords(row, this.shapes);
  }

  /** @param {any} answer @param {BaseRow[][]} derivations @param {Column[]} columns */
  #picture(answer, derivations, columns) {
    /** @type {import("./graph.js").GraphNode[]} */
    const nodes = [{ id: "row", kind: "asked", lines: wrapped(["this row", ...answer.row.map((/** @type {any} */ value, /** @type {number} */ at) => `${columns[at].name} ${valueText(value, columns[at].type)}`)]) }];
    /** @type {import("./graph.js").GraphEdge[]} */
    const edges = [];
    const known = new Set();
    for (const [nth, rows] of derivations.slice(0, DRAWN).entries()) {
      if (nodes.length + rows.length > NODES && nth) break;
      nodes.push({ id: `way-${nth}`, kind: "way", lines: [derivations.length > 1 ? `way ${nth + 1}` : "all of"] });
      edges.push({ from: "row", to: `way-${nth}` });
      for (const row of rows.slice(0, NODES)) {
        const id = JSON.stringify([row.relation, row.row]);
        if (!known.has(id)) nodes.push({ id, kind: row.site ? "elsewhere" : "base", lines: wrapped(rowLines(row, this.shapes)) });
        known.add(id);
        edges.push({ from: `way-${nth}`, to: id });
      }
    }
    return drawn(nodes, edges, "The row at the left, then each way to derive it, then the rows that it needs");
  }
}

/** A name, and values in lines that are not too long, as far as three of them go. @param {string[]} said @returns {string[]} */
function wrapped([name, ...values]) {
  const lines = [""];
  for (const value of values) {
    const last = lines[lines.length - 1];
    if (last && last.length + value.length > WIDE) lines.push(value);
    else lines[lines.length - 1] = last ? `${last} · ${value}` : value;
  }
  const shown = lines.filter(Boolean);
  return [name, ...(shown.length > LINES ? [...shown.slice(0, LINES - 1), `${shown[LINES - 1]} …`] : shown)];
}

/** @param {string} title @param {string[]} items */
function section(title, items) {
  return items.length ? [element("h3", {}, title), element("ul", { class: "why-list" }, ...items.map((item) => element("li", {}, item)))] : [];
}

/** @param {Column[]} columns @param {any[]} cells */
function rowList(columns, cells) {
  return element("dl", { class: "why-row" }, ...columns.map(({ name, type }, at) => element("div", {}, element("dt", {}, name), element("dd", {}, valueText(cells[at], type)))));
}
