/** The floor as a list: what the map shows, for whoever reads rather than looks. */

import { element, oncePerFrame, setText } from "./dom.js";
import { amount } from "./format.js";

const GROUPS = /** @type {const} */ ([
  ["Labs", (/** @type {string} */ kind) => kind === "lab"],
  ["Rooms with desks", null],
  ["Other rooms", () => true],
]);

export class RoomList {
  /**
   * @param {HTMLElement} where
   * @param {HTMLElement} title
   * @param {import("./map.js").Plan} plan
   * @param {import("./state.js").State} state
   * @param {(id: string) => void} select
   */
  constructor(where, title, plan, state, select) {
    this.where = where;
    this.title = title;
    this.state = state;
    this.select = select;
    /** @type {Map<string, {button: HTMLElement, desks: HTMLElement, more: HTMLElement}>} */
    this.rows = new Map();
    plan.onShow((floor) => this.#fill(floor));
    const paint = oncePerFrame(() => this.#paint());
    for (const table of [state.free, state.dark, state.reserved, state.cutOff, state.temperature]) table.onChange(paint);
  }

  /** @param {string} id */
  mark(id) {
    for (const [room, { button }] of this.rows) button.setAttribute("aria-pressed", String(room === id));
  }

  #fill(/** @type {import("./building.js").Floor} */ floor) {
    this.rows.clear();
    this.where.replaceChildren();
    setText(this.title, floor.label);
    const left = new Set(floor.rooms);
    for (const [title, isOf] of GROUPS) {
      const rooms = [...left].filter((room) => (isOf ? isOf(room.kind) : room.desks.length > 0));
      rooms.forEach((room) => left.delete(room));
      if (!rooms.length) continue;
      const list = element("ul", {}, ...rooms.map((room) => this.#row(room)));
      const open = title !== "Other rooms";
      const heading = element("summary", {}, title, element("span", { class: "tally" }, String(rooms.length)));
      this.where.append(element("details", { open, class: "room-group" }, heading, list));
    }
    this.#paint();
  }

  #row(/** @type {import("./building.js").Room} */ room) {
    const desks = element("span", { class: "row-desks" });
    const more = element("span", { class: "row-more" });
    const name = element("span", { class: "row-name" }, element("span", { class: "row-id" }, room.id), ` ${room.name}`);
    const button = element("button", { type: "button", "aria-pressed": "false", click: () => this.select(room.id) }, name, desks, more);
    this.rows.set(room.id, { button, desks, more });
    return element("li", {}, button);
  }

  #paint() {
    for (const [id, row] of this.rows) {
      const room = this.state.building.rooms.get(id);
      if (!room) continue;
      const closures = this.state.closures(room);
      const celsius = this.state.temperature.get(id)?.celsius;
      setText(row.desks, room.desks.length ? `${this.state.freeDesks(room)} / ${room.desks.length} free` : "");
      setText(row.more, [...closures, ...(typeof celsius === "number" ? [amount(celsius, "°C", 1)] : [])].join(" · "));
      row.button.dataset.closed = String(closures.length > 0);
    }
  }
}
