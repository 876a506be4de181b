/**
 * The derivations of a row as a picture that is bounded: where it ends, a node says how much more there is, and
 * brings it when it is pressed, from the server where it was not sent.
 *
 *     row ← a derivation ← the rows that it needs, all of them        another derivation is another reason
 */

import { element } from "./dom.js";
import { valueText } from "./format.js";
import { drawn } from "./graph.js";
import { rowLines } from "./why_words.js";

/** @typedef {import("./why_words.js").BaseRow} BaseRow */
/** @typedef {import("./graph.js").GraphNode} GraphNode */
/** @typedef {import("./graph.js").GraphEdge} GraphEdge */

const WAYS = 6; // derivations at first, and so many more each time
const ROWS = 24; // rows of a derivation, likewise
const MOST = 400; // nodes, of which laying out takes a second
const LISTED = 500; // derivations that the server lists at most
const WIDE = 36; // signs in a line
const LINES = 4;

export class WhyPicture {
  /** @param {any} answer @param {{name: string, type: string}[]} columns @param {import("./why_words.js").Shapes} shapes @param {((more: Record<string, any>) => Promise<any>) | null} ask for more derivations; null where nobody can be asked */
  constructor(answer, columns, shapes, ask) {
    this.answer = answer;
    this.columns = columns;
    this.shapes = shapes;
    this.ask = ask;
    this.ways = WAYS;
    /** @type {Map<number, number>} rows that are drawn of a derivation, where more than at first */
    this.rows = new Map();
    this.where = element("div", { class: "why-graph", tabindex: "0", role: "region", "aria-label": "The derivation as a picture" });
    this.#draw();
  }

  /** @returns {BaseRow[][]} */
  get derivations() {
    return this.answer.derivations.length ? this.answer.derivations : [this.answer.witness];
  }

  #draw() {
    const all = this.derivations;
    /** @type {GraphNode[]} */
    const nodes = [{ id: "row", kind: "asked", lines: wrapped(["this row", ...this.answer.row.map((/** @type {any} */ value, /** @type {number} */ at) => `${this.columns[at].name} ${valueText(value, this.columns[at].type)}`)]) }];
    /** @type {GraphEdge[]} */
    const edges = [];
    const known = new Set();
    let shown = 0;
    for (; shown < Math.min(this.ways, all.length) && (shown === 0 || nodes.length + all[shown].length <= MOST); shown += 1) this.#way(shown, nodes, edges, known);
    const left = Math.max(this.answer.count - shown, all.length - shown);
    if (left > 0) this.#frontier("more-ways", "row", `… and ${left.toLocaleString("en-GB")} more ${left === 1 ? "way" : "ways"}`, this.#canShow(shown, nodes.length) ? () => this.#moreWays(shown) : null, nodes, edges);
    else if (this.answer.truncated) this.#frontier("more-maybe", "row", this.isDeep ? "… and maybe more" : "… and maybe more: look longer", this.ask && !this.isDeep ? () => this.#deeper() : null, nodes, edges);
    this.where.replaceChildren(drawn(nodes, edges, "The row at the left, then each way to derive it, then the rows that it needs"));
  }

  #way(/** @type {number} */ nth, /** @type {GraphNode[]} */ nodes, /** @type {GraphEdge[]} */ edges, /** @type {Set<string>} */ known) {
    const rows = this.derivations[nth];
    const way = `way-${nth}`;
    nodes.push({ id: way, kind: "way", lines: [this.answer.count > 1 ? `way ${nth + 1}` : "all of"] });
    edges.push({ from: "row", to: way });
    const most = this.rows.get(nth) ?? ROWS;
    for (const row of rows.slice(0, most)) {
      const id = JSON.stringify([row.relation, row.row]);
      if (!known.has(id)) nodes.push({ id, kind: row.site ? "elsewhere" : "base", lines: wrapped(rowLines(row, this.shapes)) });
      known.add(id);
      edges.push({ from: way, to: id });
    }
    const left = rows.length - most;
    const more = () => this.#grow(() => this.rows.set(nth, most + 4 * ROWS));
    if (left > 0) this.#frontier(`more-rows-${nth}`, way, `… and ${left.toLocaleString("en-GB")} more ${left === 1 ? "row" : "rows"}`, nodes.length < MOST ? more : null, nodes, edges);
  }

  #frontier(/** @type {string} */ id, /** @type {string} */ from, /** @type {string} */ text, /** @type {(() => void) | null} */ press, /** @type {GraphNode[]} */ nodes, /** @type {GraphEdge[]} */ edges) {
    nodes.push({ id, kind: "more", lines: [text], ...(press ? { press } : {}) });
    edges.push({ from, to: id });
  }

  #canShow(/** @type {number} */ shown, /** @type {number} */ nodes) {
    const isSent = shown < this.derivations.length;
    const canAsk = this.ask !== null && this.derivations.length < LISTED && !this.isAll;
    return nodes < MOST && (isSent || canAsk);
  }

  async #moreWays(/** @type {number} */ shown) {
    const wanted = shown + 2 * WAYS;
    if (wanted > this.derivations.length && this.answer.count > this.derivations.length && this.ask && !this.isAll) {
      const before = this.derivations.length;
      await this.#again({ listed: Math.min(LISTED, Math.max(2 * before, wanted)) });
      this.isAll = this.derivations.length === before; // the row has changed, or the server lists no more
    }
    this.#grow(() => {
      this.ways = wanted;
    });
  }

  /** Have the server look longer, once. */
  async #deeper() {
    this.isDeep = true;
    await this.#again({});
    this.#grow(() => {});
  }

  async #again(/** @type {Record<string, any>} */ more) {
    const answer = await this.ask?.({ ...more, deeper: this.isDeep === true }).catch(() => null);
    if (answer?.derivations) this.answer = { ...this.answer, derivations: answer.derivations, count: answer.count, truncated: answer.truncated };
  }

  /** Draw more, and leave the focus where still more can be asked for. */
  #grow(/** @type {() => void} */ action) {
    action();
    this.#draw();
    const next = /** @type {HTMLElement | null} */ (this.where.querySelector(".graph-node.more[tabindex]"));
    (next ?? this.where).focus();
  }
}

/** A name, and values in lines that are not too long, as far as a few of them go. @param {string[]} said @returns {string[]} */
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
