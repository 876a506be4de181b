/** What there is to be asked: streams, tables and views with their columns, and what stands in one of them now. */

import { ask, post } from "./ask.js";
import { element, setText } from "./dom.js";
import { plural, valueText } from "./format.js";

/** @typedef {import("./console_language.js").Relation} Relation */

const KINDS = /** @type {const} */ ([["view", "Views"], ["stream", "Streams"], ["table", "Tables"]]);
const SAMPLE = 3; // rows that are looked at

export class SchemaList {
  /** @param {HTMLElement} where @param {HTMLInputElement} search @param {(text: string) => void} write put a text into the editor */
  constructor(where, search, write) {
    this.where = where;
    this.search = search;
    this.write = write;
    /** @type {Relation[]} */
    this.relations = [];
    search.addEventListener("input", () => this.#show());
  }

  /** @returns {Promise<import("./console_language.js").Schema>} */
  async look() {
    const schema = await ask("/api/schema");
    this.relations = schema.relations;
    this.#show();
    return schema;
  }

  #show() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.relations.filter(({ name, columns }) => words.every((word) => name.includes(word) || columns.some((column) => column.name.includes(word))));
    const groups = KINDS.map(([kind, title]) => this.#group(title, found.filter((relation) => relation.kind === kind), words.length > 0));
    this.where.replaceChildren(...groups.filter((group) => group !== null), ...(found.length ? [] : [element("p", { class: "note" }, "Nothing has such a name or column.")]));
  }

  #group(/** @type {string} */ title, /** @type {Relation[]} */ relations, /** @type {boolean} */ isSearched) {
    if (!relations.length) return null;
    const summary = element("summary", {}, `${title} `, element("span", { class: "tally" }, String(relations.length)));
    return element("details", { class: "schema-group", open: isSearched || title === "Views" }, summary, element("ul", {}, ...relations.map((relation) => this.#relation(relation))));
  }

  #relation(/** @type {Relation} */ relation) {
    const columns = element("ul", { class: "schema-columns" }, ...relation.columns.map(({ name, type }) => element("li", {}, element("code", {}, name), ` ${type.toLowerCase()}`)));
    const sample = element("p", { class: "schema-sample", role: "status" });
    const note = noteOf(relation);
    const write = element("button", { type: "button", class: "link", click: () => this.write(`SELECT *\nFROM ${relation.name}`) }, "Ask");
    const look = element("button", { type: "button", class: "link", click: () => this.#sample(relation, sample) }, "Look");
    const plan = relation.kind === "view" ? element("a", { class: "link", href: `/plans/${encodeURIComponent(relation.name)}` }, "Plan") : null;
    const inside = [note && element("p", { class: "note" }, note), columns, element("p", { class: "schema-acts" }, write, look, plan), sample];
    return element("li", {}, element("details", {}, element("summary", {}, element("code", {}, relation.name)), ...inside.filter((each) => each !== "" && each !== undefined)));
  }

  async #sample(/** @type {Relation} */ { name, columns }, /** @type {HTMLElement} */ where) {
    setText(where, "…");
    try {
      const { outcomes } = await post("/api/statements", { sql: `SELECT * FROM ${name} LIMIT ${SAMPLE}` });
      const rows = outcomes[0].rows.map((/** @type {any[]} */ cells) => cells.map((cell, at) => valueText(cell, columns[at]?.type ?? "")).join(" · "));
      where.replaceChildren(...(rows.length ? rows.flatMap((/** @type {string} */ row) => [row, element("br")]) : ["no rows now"]));
    } catch (error) {
      setText(where, /** @type {Error} */ (error).message);
    }
  }
}

/** @param {any} relation */
function noteOf({ kind, window, source, rows, suspended }) {
  if (kind === "view") return suspended ? `suspended: ${suspended}` : plural(rows, "row");
  return [source && `from ${source}`, window && `window ${window}`].filter(Boolean).join(" · ");
}
