/**
 * How an answer went while it was watched: its rows as they were first, and what changed since, a while back.
 *
 *     base ─change→ … ─change→ now        each state in between is one point of a line
 *
 * The oldest change goes into the base once there are too many; so a line begins later, and what it says holds.
 */

import { sampleOf, seriesIn } from "./chart_points.js";

/** @typedef {import("./chart_choice.js").Choice} Choice */
/** @typedef {import("./answer_values.js").Held} Held */

const TURNS = 600; // times that something changed
const CHANGES = 20_000; // rows that changed in them

export class Course {
  constructor() {
    this.begin([], 0);
  }

  /** @param {any[][]} rows @param {number} at microseconds */
  begin(rows, at) {
    /** @type {Map<string, Held>} */
    this.base = new Map();
    for (const cells of rows) change(this.base, [[1, cells]]);
    this.since = at;
    /** @type {{at: number, changes: [number, any[]][]}[]} */
    this.turns = [];
    this.size = 0;
    this.isCut = false;
    this.key = "";
  }

  /** @param {[number, any[]][]} changes @param {number} at microseconds */
  add(changes, at) {
    this.turns.push({ at, changes });
    this.size += changes.length;
    while (this.turns.length > TURNS || (this.size > CHANGES && this.turns.length > 1)) this.#shorten();
  }

  /** The line, up to now. @param {import("./answer_values.js").Column[]} columns @param {Choice} choice @param {number} now @returns {import("./chart_points.js").Lines} */
  lines(columns, choice, now) {
    this.#sample(columns, choice);
    const samples = this.samples ?? [];
    const { series, left } = seriesIn([...samples, samples[samples.length - 1]]);
    return { at: [this.since, ...this.turns.map(({ at }) => at), Math.max(now, this.since)], series, isFolded: true, left: [...left, ...(this.isCut ? ["what was before"] : [])] };
  }

  #sample(/** @type {import("./answer_values.js").Column[]} */ columns, /** @type {Choice} */ choice) {
    const key = JSON.stringify([choice.y, choice.series, choice.fold]);
    if (key !== this.key || !this.samples || !this.reached) {
      this.key = key;
      this.reached = new Map([...this.base].map(([text, { cells, count }]) => [text, { cells, count }]));
      this.samples = [sampleOf(this.reached.values(), columns, choice)];
    }
    while (this.samples.length <= this.turns.length) {
      change(this.reached, this.turns[this.samples.length - 1].changes);
      this.samples.push(sampleOf(this.reached.values(), columns, choice));
    }
  }

  #shorten() {
    const oldest = this.turns.shift();
    if (!oldest) return;
    if (this.samples && this.samples.length > 1) this.samples.shift();
    else this.key = "";
    change(this.base, oldest.changes);
    this.size -= oldest.changes.length;
    this.since = oldest.at;
    this.isCut = true;
  }
}

/** @param {Map<string, Held>} rows @param {[number, any[]][]} changes */
function change(rows, changes) {
  for (const [count, cells] of changes) {
    const text = JSON.stringify(cells);
    const held = rows.get(text) ?? { cells, count: 0 };
    held.count += count;
    if (held.count === 0) rows.delete(text);
    else rows.set(text, held);
  }
}
