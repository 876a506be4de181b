/**
 * The view of a wish: the server makes it, or has it already from somebody who asked the same.
 *
 *     wish ─POST→ name of a view ─watch→ rows by point        refused, since it has gone: asked again
 */

import { bodyOf, isUsual, isWhole } from "./wish.js";

const SLOW = 5000;

export class WishedView {
  /**
   * @param {import("./feed.js").Feed} feed
   * @param {string} address where a wish is made a view
   * @param {import("./table.js").Table | null} usual what is watched anyway, and answers the usual wish
   */
  constructor(feed, address, usual) {
    this.feed = feed;
    this.address = address;
    this.usual = usual;
    /** @type {import("./table.js").Table | null} */
    this.table = usual;
    /** whether the server makes views of wishes; else the usual one is all there is */
    this.isShared = false;
    this.problem = "";
    this.number = 0;
    /** @type {(() => void)[]} */
    this.listeners = [];
    usual?.onChange(() => this.table === usual && this.#tell());
    feed.addEventListener("refused", (event) => this.#refused(/** @type {CustomEvent} */ (event).detail.view));
  }

  /** @param {() => void} listener */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Whether rows are here, be it none. */
  get isAnswered() {
    return this.table !== null && this.table.tick !== null;
  }

  /** @param {import("./wish.js").Wish} wish */
  async ask(wish) {
    this.wish = wish;
    const number = ++this.number;
    const view = isUsual(wish) && this.usual && !this.isShared ? this.usual.name : isWhole(wish) ? await this.#viewOf(wish, number) : "";
    if (number === this.number) this.#follow(view);
  }

  async #viewOf(/** @type {import("./wish.js").Wish} */ wish, /** @type {number} */ number) {
    this.problem = "";
    try {
      const answer = await fetch(this.address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(this.address === "/api/way" ? { wish: bodyOf(wish), from: "-" } : bodyOf(wish)),
      });
      const said = await answer.json();
      if (answer.ok) return String(said.view);
      if (number === this.number) this.problem = String(said.error);
    } catch {
      setTimeout(() => number === this.number && this.ask(wish), SLOW);
    }
    return "";
  }

  #follow(/** @type {string} */ view) {
    if (this.table && this.table !== this.usual && this.table.name !== view) this.feed.unwatch(this.table.name);
    if (view && view === this.usual?.name) this.table = this.usual;
    else if (!view) this.table = null;
    else if (this.table?.name !== view) {
      this.table = this.feed.watch(view, "point");
      this.table.onChange(() => this.#tell());
    }
    this.#tell();
  }

  #refused(/** @type {string} */ view) {
    if (this.wish && view === this.table?.name && this.table !== this.usual) this.ask(this.wish);
  }

  #tell() {
    for (const listener of this.listeners) listener();
  }
}
