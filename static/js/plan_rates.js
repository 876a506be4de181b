/** What the nodes of a plan do now: the differences between looks at their counters over the last seconds. */

/** @typedef {import("./plan_words.js").PlanNode} PlanNode */
/** @typedef {{rows: number, entered: number, seconds: number | null, share: number}} Rate rows a second put out, new ones of them, seconds a tick and their share of the plan's */
/** @typedef {{lasted: number, ticks: number, rows: number, seconds: number, stands: number}} Look */

const SPAN = 12_000_000; // microseconds that a rate is a mean over

export class Rates {
  constructor() {
    /** @type {Map<string, Look[]>} */
    this.looks = new Map();
    /** @type {Map<string, Rate>} */
    this.rates = new Map();
  }

  /** @param {PlanNode[]} nodes as they are by now */
  take(nodes) {
    const known = new Set(nodes.map(({ id }) => id));
    for (const id of this.looks.keys()) if (!known.has(id)) this.looks.delete(id);
    for (const { id, observed } of nodes) if (observed?.passed) this.#look(id, { ...observed.passed, stands: observed.rows ?? 0 });
    const spans = [...this.looks].map(([id, looks]) => /** @type {const} */ ([id, looks[0], looks[looks.length - 1]]));
    const total = spans.reduce((sum, [, first, last]) => sum + aTick(first, last), 0);
    this.rates = new Map(spans.map(([id, first, last]) => [id, rateOf(first, last, total)]));
  }

  /** @param {string} id @returns {Rate | null} nothing of what is not observed */
  of(id) {
    return this.rates.get(id) ?? null;
  }

  /** Seconds a tick of all nodes together. */
  get total() {
    return [...this.rates.values()].reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  }

  #look(/** @type {string} */ id, /** @type {Look} */ look) {
    const held = this.looks.get(id);
    const last = held?.[held.length - 1];
    if (!held || !last || look.ticks < last.ticks) {
      this.looks.set(id, [{ lasted: 0, ticks: 0, rows: 0, seconds: 0, stands: look.stands }, look]);
      return;
    }
    if (look.ticks > last.ticks) held.push(look);
    while (held.length > 2 && look.lasted - held[1].lasted >= SPAN) held.shift();
    if (held.length > 2 && held[0].ticks === 0) held.shift(); // what was so far said how it went until there was more
  }
}

/** @param {Look} first @param {Look} last */
const aTick = (first, last) => (last.ticks > first.ticks ? (last.seconds - first.seconds) / (last.ticks - first.ticks) : 0);

/** @param {Look} first @param {Look} last @param {number} total @returns {Rate} */
function rateOf(first, last, total) {
  const seconds = aTick(first, last);
  const lasted = (last.lasted - first.lasted) / 1e6;
  const rows = lasted > 0 ? (last.rows - first.rows) / lasted : 0;
  const grown = lasted > 0 ? (last.stands - first.stands) / lasted : 0;
  return { rows, entered: Math.max((rows + grown) / 2, 0), seconds, share: total > 0 ? seconds / total : 0 };
}
