/**
 * The live feed: one socket, a table per watched view, and the truth about how fresh they are.
 *
 *     live      pulses come and the tick moves
 *     behind    the tick moves, but what it shows is long past (the server catches up)
 *     lost      no pulse for three seconds, or pulses whose tick stands still
 *     out       the session is over
 *
 * A gap in the numbers or a new run asks for a new snapshot; nothing needs a reload.
 */

import { Table } from "./table.js";

const PATIENCE = 3000;
const LOOK_EVERY = 250;
const ASK_AGAIN = 5000;

export class Feed extends EventTarget {
  constructor() {
    super();
    /** @type {Map<string, Table>} */
    this.tables = new Map();
    /** @type {"waiting" | "live" | "behind" | "lost" | "out"} */
    this.state = "waiting";
    this.run = "";
    this.tick = -1;
    /** the feed's time, in microseconds, of the last tick seen */
    this.at = 0;
    this.heard = this.moved = performance.now();
    this.pulse = { now: 0, heard: 0, speed: 1 };
    /** @type {Record<string, string[]>} of each view the sites that it is without */
    this.missing = {};
  }

  /** @param {string} view @param {string} key @returns {Table} */
  table(view, key) {
    const table = new Table(view, key);
    this.tables.set(view, table);
    return table;
  }

  /** The feed's time by now, in microseconds; 0 before the first pulse. */
  now() {
    return this.pulse.now && this.pulse.now + (performance.now() - this.pulse.heard) * 1000 * this.pulse.speed;
  }

  /** The sites that the watched views are without. @returns {string[]} */
  without() {
    return [...new Set([...this.tables.keys()].flatMap((view) => this.missing[view] ?? []))].sort();
  }

  /** Watch a view from now on, whenever that is. @param {string} view @param {string} [key] @returns {Table} */
  watch(view, key = "") {
    const table = new Table(view, key);
    this.follow(table);
    return table;
  }

  /** The same into a table that is there already. @param {Table} table */
  follow(table) {
    if (this.tables.get(table.name) === table) return;
    this.tables.set(table.name, table);
    if (this.socket?.connected) this.#watch(table.name);
  }

  /** @param {string} view */
  unwatch(view) {
    this.tables.delete(view);
    this.socket?.emit("unwatch", { view });
  }

  start() {
    this.socket = io({ transports: ["websocket", "polling"], reconnectionDelay: 500, reconnectionDelayMax: 2000 });
    this.socket.on("connect", () => this.#watchAll());
    for (const news of ["routed", "alarm"]) this.socket.on(news, () => this.dispatchEvent(new Event(news)));
    this.socket.on("connect_error", () => this.#askWhetherSignedIn());
    this.socket.on("disconnect", (/** @type {string} */ why) => {
      if (why === "io server disconnect") this.#askWhetherSignedIn();
    });
    this.socket.on("snapshot", (/** @type {any} */ message) => {
      this.missing[message.view] = message.missing ?? [];
      this.tables.get(message.view)?.reset(message);
    });
    this.socket.on("delta", (/** @type {any} */ message) => this.#delta(message));
    this.socket.on("pulse", (/** @type {any} */ message) => this.#pulse(message));
    this.socket.on("refused", (/** @type {any} */ message) => this.#refused(message));
    setInterval(() => this.#look(), LOOK_EVERY);
  }

  #watchAll() {
    this.dispatchEvent(new Event("again"));
    for (const view of this.tables.keys()) this.#watch(view);
  }

  #watch(/** @type {string} */ view) {
    this.socket.emit("watch", { view }, (/** @type {any} */ answer) => {
      if (answer?.error) console.warn(answer.error);
    });
  }

  /** A view that is not there may come to be. */
  #refused(/** @type {any} */ { view, error }) {
    console.warn(`${view}: ${error}`);
    this.dispatchEvent(new CustomEvent("refused", { detail: { view } }));
    setTimeout(() => {
      if (this.tables.has(view)) this.#watch(view);
    }, ASK_AGAIN);
  }

  #delta(/** @type {any} */ message) {
    const table = this.tables.get(message.view);
    if (!table || table.tick === null) return; // a snapshot is on its way
    if (!table.apply(message)) this.#watch(message.view);
  }

  #pulse(/** @type {any} */ message) {
    const heard = performance.now();
    const gone = (heard - this.pulse.heard) * 1000;
    if (this.pulse.now && gone > 0) this.pulse.speed = Math.max(1, (message.now - this.pulse.now) / gone);
    this.pulse.now = message.now;
    this.missing = message.missing ?? {};
    this.pulse.heard = this.heard = heard;
    if (message.run !== this.run) {
      if (this.run) this.#watchAll();
      this.run = message.run;
      this.tick = -1;
    }
    if (message.tick > this.tick) {
      this.tick = message.tick;
      this.at = message.at;
      this.moved = heard;
    }
    this.#look();
  }

  #look() {
    if (this.state === "out") return;
    const now = performance.now();
    const silent = now - Math.min(this.heard, this.moved);
    const behind = (this.pulse.now - this.at) / 1000 / this.pulse.speed;
    if (silent > PATIENCE) this.#become("lost");
    else if (this.tick < 0) this.#become("waiting");
    else this.#become(behind > PATIENCE ? "behind" : "live");
  }

  #become(/** @type {Feed["state"]} */ state) {
    this.state = state;
    this.dispatchEvent(new Event("look"));
  }

  async #askWhetherSignedIn() {
    const answer = await fetch("/api/building", { method: "HEAD" }).catch(() => null);
    if (answer?.status === 401) {
      this.socket.disconnect();
      this.#become("out");
    } else if (answer && !this.socket.active) {
      this.socket.connect();
    }
  }
}
