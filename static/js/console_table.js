/**
 * The rows of an answer as a table. However many there are, the page has elements for those that can be seen:
 * all rows are equally high, and two empty ones stand for what is above and below.
 */

import { element, mark, oncePerFrame, setText } from "./dom.js";
import { valueText } from "./format.js";

/** @typedef {{name: string, type: string}} Column */
/** @typedef {import("./console_rows.js").Rows} Rows */
/** @typedef {import("./console_rows.js").Entry} Entry */

const HEIGHT = 34; // pixels of a row, as console.css has it
const BEYOND = 12; // rows drawn above and below those that are seen
const FIGURES = ["BIGINT", "DOUBLE"];

export class ResultTable {
  /** @param {HTMLElement} frame what scrolls @param {Rows} rows @param {((entry: Entry, from: HTMLElement) => void) | null} why asks why a row is there; null where that cannot be asked */
  constructor(frame, rows, why) {
    this.frame = frame;
    this.rows = rows;
    this.why = why;
    /** @type {Column[]} */
    this.columns = [];
    /** @type {import("./table.js").Order[] | null} */
    this.order = [];
    /** @type {{column: number, descending: boolean} | null} what a reader sorted by */
    this.sorted = null;
    this.head = element("tr");
    this.body = element("tbody");
    this.table = element("table", { class: "rows result" }, element("thead", {}, this.head), this.body);
    this.paint = oncePerFrame(() => this.#paint());
    frame.replaceChildren(this.table);
    frame.addEventListener("scroll", this.paint, { passive: true });
    new ResizeObserver(this.paint).observe(frame);
  }

  /** @param {Column[]} columns @param {import("./table.js").Order[] | null} order that of the query; null: as the rows came */
  begin(columns, order) {
    this.columns = columns;
    this.order = order;
    this.sorted = null;
    this.#heads();
    this.paint();
  }

  #heads() {
    const heads = this.columns.map(({ name, type }, column) => {
      const by = this.sorted?.column === column ? this.sorted : null;
      const sort = element("button", { type: "button", class: "sort", "data-sort": String(column), title: type.toLowerCase(), click: () => this.#sortBy(column) }, name);
      return element("th", { scope: "col", class: kindOf(type), "aria-sort": by ? (by.descending ? "descending" : "ascending") : "none" }, sort);
    });
    const why = this.why ? [element("th", { scope: "col", class: "asks" }, element("span", { class: "unseen" }, "Why"))] : [];
    this.head.replaceChildren(...why, ...heads, element("td", { class: "rest" }));
  }

  /** Ascending, descending, and then again as the query has it. */
  #sortBy(/** @type {number} */ column) {
    if (this.sorted?.column !== column) this.sorted = { column, descending: false };
    else this.sorted = this.sorted.descending ? null : { column, descending: true };
    this.rows.sortBy(this.sorted ? [{ ...this.sorted, nulls_first: false }] : this.order);
    this.#heads();
    /** @type {HTMLElement | null} */ (this.head.querySelector(`[data-sort="${column}"]`))?.focus();
    this.paint();
  }

  #paint() {
    const { shown } = this.rows;
    const first = Math.max(0, Math.floor(this.frame.scrollTop / HEIGHT) - BEYOND);
    const last = Math.min(shown.length, first + Math.ceil(this.frame.clientHeight / HEIGHT) + 2 * BEYOND);
    const focused = document.activeElement instanceof HTMLElement && this.body.contains(document.activeElement) ? document.activeElement.closest("tr") : null;
    const kept = new Map([.../** @type {HTMLCollectionOf<HTMLElement>} */ (this.body.children)].map((row) => [row.dataset.row, row]));
    const wanted = shown.slice(first, last).map((entry, nth) => {
      const row = kept.get(entry.text) ?? this.#row(entry);
      mark(row, { mark: entry.mark });
      setText(/** @type {Element} */ (row.querySelector(".times")), entry.count > 1 ? ` × ${entry.count}` : "");
      row.setAttribute("aria-rowindex", String(first + nth + 2));
      return row;
    });
    this.table.setAttribute("aria-rowcount", String(shown.length + 1));
    inPlace(this.body, [gap(first), ...wanted, gap(shown.length - last)], focused);
  }

  #row(/** @type {Entry} */ entry) {
    const cells = entry.cells.map((value, column) => cell(value, this.columns[column]));
    cells[cells.length - 1].append(element("span", { class: "times" }));
    const ask = element("button", { type: "button", class: "why", click: (event) => this.why?.(entry, /** @type {HTMLElement} */ (event.currentTarget)) }, "Why?");
    return element("tr", { "data-row": entry.text }, ...(this.why ? [element("td", { class: "asks" }, ask)] : []), ...cells, element("td", { class: "rest" }));
  }
}

/** @param {string} type */
export const kindOf = (type) => (FIGURES.includes(type.toUpperCase()) ? "number" : type.toUpperCase() === "TIMESTAMP" ? "moment" : "text");

/** @param {any} value @param {Column} column */
function cell(value, { type }) {
  const text = valueText(value, type);
  return element("td", { class: `${kindOf(type)}${value === null ? " null" : ""}`, title: text.length > 40 ? text : "" }, text);
}

/** @param {number} rows */
function gap(rows) {
  const row = element("tr", { class: "gap", "aria-hidden": "true" }, element("td"));
  row.style.height = `${rows * HEIGHT}px`;
  row.hidden = rows === 0;
  return row;
}

/** Put rows into a body; one that stays is not moved, so that it keeps the focus and goes on fading. @param {HTMLElement} body @param {HTMLElement[]} wanted @param {HTMLElement | null} focused */
function inPlace(body, wanted, focused) {
  const stay = new Set(wanted);
  for (const child of [...body.children]) if (!stay.has(/** @type {HTMLElement} */ (child))) child.remove();
  wanted.forEach((row, at) => {
    if (body.children[at] !== row) body.insertBefore(row, body.children[at] ?? null);
  });
  if (focused?.isConnected && !focused.contains(document.activeElement)) focused.querySelector("button")?.focus();
}
