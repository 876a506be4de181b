/** A table whose columns sort: a button in each head, the order said by aria-sort. */

import { element } from "./dom.js";

/** @typedef {{name: string, title: string, of: (row: any) => any, text?: (row: any) => string | Node, number?: boolean, descending?: boolean}} Column */

const inOrder = new Intl.Collator("en", { numeric: true });

export class SortedTable {
  /** @param {HTMLElement} where @param {string} caption @param {Column[]} columns @param {string} by the column it is sorted by at first @param {boolean} [descending] */
  constructor(where, caption, columns, by, descending) {
    this.columns = columns;
    this.by = columns.find((column) => column.name === by) ?? columns[0];
    this.descending = descending ?? this.by.descending ?? false;
    /** @type {any[]} */
    this.rows = [];
    this.most = Infinity;
    this.head = element("tr");
    this.body = element("tbody");
    where.replaceChildren(element("table", { class: "rows" }, element("caption", { class: "unseen" }, caption), element("thead", {}, this.head), this.body));
    this.#heads();
  }

  /** @param {any[]} rows @param {number} [most] so many at most */
  show(rows, most = Infinity) {
    this.rows = rows;
    this.most = most;
    this.#paint();
  }

  #heads() {
    this.head.replaceChildren(...this.columns.map((column) => {
      const sort = element("button", { type: "button", class: "sort", click: () => this.#sort(column), "data-sort": column.name }, column.title);
      const order = column === this.by ? (this.descending ? "descending" : "ascending") : "none";
      return element("th", { scope: "col", class: column.number ? "number" : "", "aria-sort": order }, sort);
    }));
  }

  #sort(/** @type {Column} */ column) {
    this.descending = column === this.by ? !this.descending : (column.descending ?? Boolean(column.number));
    this.by = column;
    this.#heads();
    this.#paint();
    /** @type {HTMLElement | null} */ (this.head.querySelector(`[data-sort="${CSS.escape(column.name)}"]`))?.focus();
  }

  #paint() {
    const sign = this.descending ? -1 : 1;
    const sorted = [...this.rows].sort((a, b) => compared(this.by.of(a), this.by.of(b), sign));
    this.body.replaceChildren(...sorted.slice(0, this.most).map((row) => element("tr", {}, ...this.columns.map((column, nth) => cell(column, row, nth)))));
  }
}

/** What is not known comes last in either order. @param {any} a @param {any} b @param {number} sign */
function compared(a, b, sign) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return sign * (typeof a === "number" && typeof b === "number" ? a - b : inOrder.compare(String(a), String(b)));
}

/** @param {Column} column @param {any} row @param {number} nth */
function cell(column, row, nth) {
  const value = column.text ? column.text(row) : String(column.of(row) ?? "–");
  const made = nth ? element("td", { class: column.number ? "number" : "text" }, value) : element("th", { scope: "row" }, value);
  return made;
}
