/**
 * Why a row is there: what it stands on as a picture and in words, and what would remove it; and of a row that
 * is not there, what is missing for it.
 */

import { post } from "./ask.js";
import { save } from "./csv.js";
import { element } from "./dom.js";
import { momentWords, plural, valueText } from "./format.js";
import { svgFile } from "./svg_file.js";
import { chances, keptRates } from "./why_chances.js";
import { WhyPicture } from "./why_picture.js";
import { gapWords, rowWords } from "./why_words.js";

/** @typedef {import("./why_words.js").BaseRow} BaseRow */
/** @typedef {{name: string, type: string}} Column */
/** @typedef {(more?: Record<string, any>) => Promise<any>} Ask the same row again, with more asked of it */

const SHOWN = 40; // items of a list at first
const CUTS = 6; // likewise
const IN_A_CUT = 4; // rows that are named of what has to go together

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

  /** Show an answer that was kept. @param {string} title @param {any} answer @param {Record<string, any>} row @param {HTMLElement[]} after */
  show(title, answer, row, after) {
    const columns = Object.keys(row).map((name) => ({ name, type: "" }));
    this.#open(title, rowList(columns, Object.values(row)), ...(answer ? this.#derived(answer, columns, null) : []), ...after);
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
    /** @type {Ask} */
    const ask = (more = {}) => post("/api/why", { view, where, ...more });
    const answer = await ask({ rates: keptRates() }).catch((error) => /** @type {Error} */ (error));
    const told = answer instanceof Error ? [element("p", { class: "wrong", role: "alert" }, answer.message)] : "missing" in answer ? this.#missing(answer) : this.#derived(answer, columns, ask);
    this.body.replaceChildren(...stays, ...told);
  }

  /** @param {any} answer @param {Column[]} columns @param {Ask | null} ask where the server can be asked for more */
  #derived(answer, columns, ask) {
    const count = `${answer.truncated ? "at least " : ""}${answer.count.toLocaleString("en-GB")}`;
    const reasons = answer.count > 1 ? `It is derived in ${count} ways; each alone is enough.` : `It is derived in one way${answer.truncated ? " at least; there may be more" : ""}, from the rows below.`;
    const picture = new WhyPicture(answer, columns, this.shapes, ask);
    return [
      element("p", { class: "why-count", role: "status" }, reasons),
      picture.where,
      this.#files(picture, ask),
      ...section(answer.count > 1 ? "What the shortest way stands on" : "What it stands on", answer.witness.map((/** @type {BaseRow} */ row) => this.#words(row))),
      ...since(answer),
      ...section("and on what is not there", answer.absent.map((/** @type {any} */ absent) => `no row of ${absent.relation}${absent.key.length ? ` with ${absent.key.map((/** @type {any} */ value) => valueText(value, "")).join(", ")}` : ""}`)),
      ...section(answer.cuts.length > 1 ? "It would go if one of these went, all of a line" : "It would go if these went", answer.cuts.map((/** @type {BaseRow[]} */ cut) => this.#cut(cut)), CUTS),
      ...(ask ? [chances(answer, this.shapes, (rates) => ask({ rates }))] : []),
    ];
  }

  /** What can be taken away: the picture as it is drawn, and what it says for other tools. */
  #files(/** @type {WhyPicture} */ picture, /** @type {Ask | null} */ ask) {
    const problem = element("span", { class: "wrong", role: "alert" });
    const svg = () => save("why.svg", svgFile(/** @type {SVGElement} */ (picture.where.querySelector("svg"))), "image/svg+xml");
    const prov = () => ask?.({ format: "prov", listed: Math.max(picture.derivations.length, 1) }).then((made) => save("why.prov.json", JSON.stringify(made, null, 1), "application/json"), (error) => problem.replaceChildren(/** @type {Error} */ (error).message));
    const buttons = [element("button", { type: "button", class: "link", click: svg }, "SVG"), ...(ask ? [element("button", { type: "button", class: "link", click: prov }, "PROV-JSON")] : [])];
    return element("p", { class: "why-files" }, ...buttons, problem);
  }

  /** @param {any} answer */
  #missing(answer) {
    const gaps = answer.missing.map((/** @type {import("./why_words.js").Gap} */ gap) => gapWords(gap, this.shapes));
    const more = answer.truncated ? [element("p", { class: "note" }, "There is more; the search ended after a quarter of a second.")] : [];
    return [...section("What is missing", gaps.length ? gaps : ["nothing was found that would bring it"]), ...more];
  }

  #cut(/** @type {BaseRow[]} */ rows) {
    const said = rows.slice(0, IN_A_CUT).map((row) => this.#words(row));
    return [...said, ...(rows.length > IN_A_CUT ? [plural(rows.length - IN_A_CUT, "more row")] : [])].join(" and ");
  }

  #words(/** @type {BaseRow} */ row) {
    return rowWords(row, this.shapes);
  }
}

/** A list of items under a title; of many the first, and the others on demand. @param {string} title @param {string[]} items @param {number} [first] */
function section(title, items, first = SHOWN) {
  if (!items.length) return [];
  const list = element("ul", { class: "why-list" }, ...items.slice(0, first).map((item) => element("li", {}, item)));
  const left = items.length - first;
  if (left > 0) {
    const all = () => list.replaceChildren(...items.map((item) => element("li", {}, item)));
    list.append(element("li", {}, element("button", { type: "button", class: "link", click: all }, `… and ${left.toLocaleString("en-GB")} more`)));
  }
  return [element("h3", {}, title), list];
}

/** What is known of rows of which it is not said when they came. @param {any} answer */
function since({ witness, looked_since: looked }) {
  const undated = witness.filter((/** @type {BaseRow} */ { came }) => came === undefined).length;
  return looked && undated ? [element("p", { class: "note" }, `${undated === witness.length ? "The rows" : plural(undated, "row")} without a time came before ${momentWords(looked, Date.now() * 1000)}, or devices say their own.`)] : [];
}

/** @param {Column[]} columns @param {any[]} cells */
function rowList(columns, cells) {
  return element("dl", { class: "why-row" }, ...columns.map(({ name, type }, at) => element("div", {}, element("dt", {}, name), element("dd", {}, valueText(cells[at], type)))));
}
