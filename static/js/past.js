/**
 * The map at a moment of the past: the tables show what was recorded of then, until they show the present again.
 *
 *     now ─show(at)→ then ─show(at′)→ then′ ─back()→ now
 *
 * Only the newest question counts: the answer to one before it is dropped.
 */

import { ask } from "./ask.js";

/** @typedef {{from: number | null, until: number | null, gaps: [number, number][], views: string[]}} Span */
/** @typedef {{columns: {name: string}[], rows: any[][], gap: [number, number] | null}} Told */

export class Past extends EventTarget {
  /** @param {import("./state.js").State} state */
  constructor(state) {
    super();
    this.state = state;
    this.at = 0;
    /** @type {[number, number] | null} the gap in which the moment lies */
    this.gap = null;
    /** @type {Record<string, string>} of each view that tells nothing of the moment, why not */
    this.untold = {};
    this.problem = "";
    /** @type {AbortController | null} */
    this.asking = null;
  }

  /** @returns {Promise<Span>} since when, and up to when, there is a past */
  async span() {
    return ask("/api/past");
  }

  /** @param {number} at in microseconds @returns {Promise<boolean>} whether it is shown */
  async show(at) {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    const query = new URLSearchParams([["t", String(Math.round(at))], ...this.state.kept.map((table) => ["view", table.name])]);
    try {
      const told = await ask(`/api/past/at?${query}`, { signal: asking.signal });
      if (asking.signal.aborted) return false;
      this.#put(at, told);
    } catch (error) {
      if (asking.signal.aborted) return false;
      this.problem = /** @type {Error} */ (error).message;
      this.dispatchEvent(new Event("change"));
      return false;
    }
    return true;
  }

  back() {
    this.asking?.abort();
    if (!this.at) return;
    this.at = this.state.then = 0;
    Object.assign(this, { gap: null, untold: {}, problem: "" });
    delete document.documentElement.dataset.past;
    for (const table of [...this.state.kept, ...this.state.unkept]) table.showNow();
    this.dispatchEvent(new Event("change"));
  }

  #put(/** @type {number} */ at, /** @type {{views: Record<string, Told>, untold: Record<string, string>}} */ told) {
    this.at = this.state.then = at;
    this.untold = told.untold;
    const gaps = Object.values(told.views).map((view) => view.gap);
    this.gap = gaps.length && gaps.every(Boolean) ? gaps[0] : null;
    this.problem = "";
    document.documentElement.dataset.past = "true";
    for (const table of this.state.kept) {
      const view = told.views[table.name];
      table.showThen(view ? view.columns.map((column) => column.name) : [], view?.rows ?? []);
    }
    for (const table of this.state.unkept) table.showThen([], []);
    this.dispatchEvent(new Event("change"));
  }
}
