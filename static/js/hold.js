/** Take me there: one target that is kept for somebody for some minutes, and the way to it. */

import { bodyOf } from "./wish.js";

const STANDING = ["held", "moved"];
/** What one is told when a hold ends without having been asked to. @type {Record<string, string>} */
const ENDS = {
  over: "The five minutes are over: it is not kept for you any longer.",
  ended: "What was kept for you was taken, and there is no other.",
  arrived: "Somebody sat down there, taken for you: you have arrived.",
};

export class Hold {
  /** @param {import("./feed.js").Feed} feed */
  constructor(feed) {
    this.feed = feed;
    this.id = "";
    this.problem = "";
    /** the row was there once: when it goes, the hold has ended */
    this.seen = false;
    /** in microseconds of the feed */
    this.until = 0;
    this.target = "";
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /** @param {() => void} listener */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Of a point, where the held way leads on. @param {string} point */
  step(point) {
    return this.ways?.all(point).find((row) => String(row.hold) === this.id);
  }

  /** How many seconds are left. */
  get left() {
    const now = this.feed.now();
    return now ? Math.max(0, Math.round((this.until - now) / 1e6)) : 0;
  }

  /** @param {import("./wish.js").Wish} wish @param {string} from @param {string} kiosk */
  async take(wish, from, kiosk) {
    const said = await sent("/api/holds", "POST", { ...bodyOf(wish), from, kiosk });
    this.problem = said.error ?? "";
    if (!said.error) this.carry(String(said.hold), String(said.target), moment(said.until));
    else this.#tell();
  }

  /** Follow a hold that was taken, here or at a kiosk. @param {string} id @param {string} target @param {number} until */
  carry(id, target = "", until = 0) {
    Object.assign(this, { id, target, until, seen: false, problem: "" });
    this.ways = this.feed.watch("held_ways", "point");
    this.rows = this.feed.watch("holds_now", "hold");
    this.rows.onChange(() => this.#look());
    this.ways.onChange(() => this.#tell());
    this.#tell();
  }

  /** @param {"arrived" | "cancelled"} reason */
  async end(reason) {
    const { id } = this;
    this.leave();
    if (id) await sent(`/api/holds/${encodeURIComponent(id)}`, "DELETE", { reason });
  }

  /** Forget it here; whoever carries it on has it still. */
  leave() {
    if (this.ways) this.feed.unwatch("held_ways");
    if (this.rows) this.feed.unwatch("holds_now");
    Object.assign(this, { id: "", target: "", until: 0, ways: undefined, rows: undefined, problem: "" });
    this.#tell();
  }

  #look() {
    const row = this.rows?.rows().find((each) => String(each.hold) === this.id);
    if (row) Object.assign(this, { seen: true, target: String(row.target ?? ""), until: moment(row.until) });
    const state = row ? String(row.state) : "over";
    if (this.seen && !STANDING.includes(state)) {
      this.leave();
      this.problem = ENDS[state] ?? "";
    }
    this.#tell();
  }

  #tell() {
    for (const listener of this.listeners) listener();
  }
}

/** @param {unknown} until microseconds, or a timestamp */
function moment(until) {
  return typeof until === "number" ? until : Date.parse(String(until)) * 1000 || 0;
}

/** @param {string} address @param {string} method @param {any} body @returns {Promise<any>} with `error` where it failed */
export async function sent(address, method, body) {
  try {
    const answer = await fetch(address, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const said = await answer.json().catch(() => ({}));
    return answer.ok ? said : { error: said.error ?? `the server answered ${answer.status}` };
  } catch {
    return { error: "SmartCIS cannot be reached at the moment; try again." };
  }
}
