/**
 * A view as it is in this browser: rows by key.
 *
 *     snapshot → rows        delta (after = tick) → rows ± changes        anything else → a gap
 *
 * While it shows a moment of the past, what the feed says is taken, and told once it shows the present again.
 */

/** @typedef {Record<string, any>} Row */
/** @typedef {Map<any, Map<string, {row: Row, count: number}>>} Groups */
/** @typedef {{view: string, run: string, tick: number, at: number, columns: {name: string, type: string}[], rows: any[][], order?: Order[]}} Snapshot */
/** @typedef {{column: number, descending: boolean, nulls_first: boolean}} Order */
/** @typedef {{view: string, run: string, tick: number, after: number, at: number, changes: [number, any[]][]}} Delta */

export class Table {
  /** @param {string} name @param {string} key the column rows are found by */
  constructor(name, key) {
    this.name = name;
    this.key = key;
    this.run = "";
    /** @type {number | null} */
    this.tick = null;
    /** when it changed last, in microseconds since the epoch */
    this.at = 0;
    /** @type {{name: string, type: string}[]} */
    this.shape = [];
    /** @type {Order[]} */
    this.order = [];
    /** @type {string[]} */
    this.columns = [];
    /** @type {Groups} what the feed says */
    this.live = new Map();
    /** @type {Groups} what is shown: the same, or a moment of the past */
    this.groups = this.live;
    /** @type {((keys: Set<any>) => void)[]} */
    this.listeners = [];
  }

  /** @param {(keys: Set<any>) => void} listener told which keys changed */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** @param {Snapshot} snapshot */
  reset(snapshot) {
    const touched = new Set(this.live.keys());
    this.live.clear();
    this.shape = snapshot.columns;
    this.order = snapshot.order ?? [];
    this.at = snapshot.at;
    this.columns = snapshot.columns.map((column) => column.name);
    this.run = snapshot.run;
    this.tick = snapshot.tick;
    for (const cells of snapshot.rows) touched.add(this.#add(cells, 1));
    this.#tellLive(touched);
  }

  /** Show these rows in place of what the feed says. @param {string[]} columns @param {any[][]} rows */
  showThen(columns, rows) {
    const touched = new Set(this.groups.keys());
    this.groups = new Map();
    for (const cells of rows) touched.add(addTo(this.groups, this.key, columns, cells, 1));
    this.#tell(touched);
  }

  /** Show what the feed says. */
  showNow() {
    const touched = new Set([...this.groups.keys(), ...this.live.keys()]);
    this.groups = this.live;
    this.#tell(touched);
  }

  /** @param {Delta} delta @returns {boolean} false where one before it is missing */
  apply(delta) {
    if (this.tick === null || delta.run !== this.run || delta.after !== this.tick) {
      this.tick = null;
      return false;
    }
    this.tick = delta.tick;
    this.at = delta.at;
    this.#tellLive(new Set(delta.changes.map(([count, cells]) => this.#add(cells, count))));
    return true;
  }

  /** @param {any} key @returns {Row | undefined} */
  get(key) {
    return this.all(key)[0];
  }

  /** @param {any} key @returns {Row[]} the rows of a key, the newest last */
  all(key) {
    return [...(this.groups.get(key)?.values() ?? [])].filter((held) => held.count > 0).map((held) => held.row);
  }

  has(/** @type {any} */ key) {
    return this.groups.has(key);
  }

  get size() {
    return this.groups.size;
  }

  /** @returns {Row[]} */
  rows() {
    return [...this.groups.keys()].flatMap((key) => this.all(key));
  }

  /** @returns {unknown[][]} the cells of each row, as often as it is there */
  everyRow() {
    const held = [...this.groups.values()].flatMap((group) => [...group.entries()]);
    return held.flatMap(([text, { count }]) => Array.from({ length: Math.max(count, 0) }, () => JSON.parse(text)));
  }

  #add(/** @type {any[]} */ cells, /** @type {number} */ count) {
    return addTo(this.live, this.key, this.columns, cells, count);
  }

  #tellLive(/** @type {Set<any>} */ keys) {
    if (this.groups === this.live) this.#tell(keys);
  }

  #tell(/** @type {Set<any>} */ keys) {
    for (const listener of this.listeners) listener(keys);
  }
}

/**
 * @param {Groups} groups @param {string} keyed the column of the key @param {string[]} columns
 * @param {any[]} cells @param {number} count
 * @returns {any} the key
 */
function addTo(groups, keyed, columns, cells, count) {
  const row = Object.fromEntries(columns.map((name, i) => [name, cells[i]]));
  const key = row[keyed];
  const group = groups.get(key) ?? new Map();
  const text = JSON.stringify(cells);
  const held = (group.get(text)?.count ?? 0) + count;
  group.delete(text);
  if (held !== 0) group.set(text, { row, count: held });
  if (group.size === 0) groups.delete(key);
  else groups.set(key, group);
  return key;
}
