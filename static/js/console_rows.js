/**
 * The rows of an answer as they are now, in the answer's order, and marked for a moment where they came or went.
 *
 *     held = rows by their text, each as often as it is there        shown = held + those that went a moment ago
 */

const inOrder = new Intl.Collator("en", { numeric: true });
const MARKED = 2500; // milliseconds that a row is marked as new, or as gone
const MANY = 400; // changes at once; of more, none is marked

/** @typedef {import("./table.js").Order} Order */
/** @typedef {{cells: any[], text: string, count: number, mark: "" | "new" | "gone", until: number, isShown: boolean}} Entry */

export class Rows {
  constructor() {
    /** @type {Map<string, Entry>} */
    this.held = new Map();
    /** @type {Entry[]} in order, those that went a moment ago among them */
    this.shown = [];
    /** @type {Order[] | null} null: as they came */
    this.order = [];
    this.count = 0;
  }

  /** @param {any[][]} rows @param {Order[] | null} order null: as they come */
  reset(rows, order) {
    this.held.clear();
    this.order = order;
    this.count = rows.length;
    for (const cells of rows) this.#entry(cells).count += 1;
    this.#sort();
  }

  /** @param {Order[] | null} order */
  sortBy(order) {
    this.order = order;
    this.#sort();
  }

  /** @param {[number, any[]][]} changes @param {number} now */
  change(changes, now) {
    const isMarked = changes.length <= MANY;
    for (const [count, cells] of changes) {
      this.count += count;
      const entry = this.#entry(cells);
      const was = entry.count;
      entry.count += count;
      if (was <= 0 && entry.count > 0) this.#mark(entry, isMarked ? "new" : "", now);
      else if (was > 0 && entry.count <= 0) this.#mark(entry, isMarked ? "gone" : "", now);
      if (isMarked && !entry.isShown) this.#insert(entry);
    }
    if (!isMarked) this.#sort();
  }

  /** Take marks away whose time is over. @param {number} now @returns {boolean} whether there were any */
  settle(now) {
    const over = this.shown.filter((entry) => entry.mark && entry.until <= now);
    for (const entry of over) entry.mark = "";
    const gone = new Set(over.filter((entry) => entry.count <= 0));
    for (const entry of gone) this.held.delete(entry.text);
    if (gone.size) this.shown = this.shown.filter((entry) => !gone.has(entry));
    return over.length > 0;
  }

  /** Each row as often as it is there. @returns {any[][]} */
  all() {
    return this.shown.flatMap(({ cells, count }) => Array.from({ length: Math.max(count, 0) }, () => cells));
  }

  /** @param {any[]} cells @returns {Entry} */
  #entry(cells) {
    const text = JSON.stringify(cells);
    const held = this.held.get(text);
    if (held) return held;
    /** @type {Entry} */
    const made = { cells, text, count: 0, mark: "", until: 0, isShown: false };
    this.held.set(text, made);
    return made;
  }

  #mark(/** @type {Entry} */ entry, /** @type {Entry["mark"]} */ mark, /** @type {number} */ now) {
    entry.mark = mark;
    entry.until = now + MARKED;
  }

  #sort() {
    for (const entry of [...this.held.values()]) if (entry.count <= 0) this.held.delete(entry.text);
    this.shown = [...this.held.values()];
    if (this.order) this.shown.sort((a, b) => this.#compared(a, b));
    for (const entry of this.shown) entry.isShown = true;
  }

  #insert(/** @type {Entry} */ entry) {
    let [low, high] = [0, this.shown.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compared(this.shown[middle], entry) < 0) low = middle + 1;
      else high = middle;
    }
    this.shown.splice(low, 0, entry);
    entry.isShown = true;
  }

  #compared(/** @type {Entry} */ a, /** @type {Entry} */ b) {
    for (const { column, descending, nulls_first } of this.order ?? []) {
      const found = compared(a.cells[column], b.cells[column], nulls_first);
      if (found) return descending && a.cells[column] !== null && b.cells[column] !== null ? -found : found;
    }
    for (let column = 0; column < a.cells.length; column += 1) {
      const found = compared(a.cells[column], b.cells[column], false);
      if (found) return found;
    }
    return 0;
  }
}

/** @param {any} a @param {any} b @param {boolean} nullsFirst */
function compared(a, b, nullsFirst) {
  if (a === null || b === null) return (Number(a === null) - Number(b === null)) * (nullsFirst ? -1 : 1);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return inOrder.compare(String(a), String(b));
}
