/** The floor as a list: what the map shows, for whoever reads rather than looks. */

import { DeskRows } from "./desk_rows.js";
import { byId, element, oncePerFrame, setText } from "./dom.js";
import { LAYERS, peopleOn, wordsOf } from "./layers.js";

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
   * @param {{room: (id: string) => void, desk: (id: string) => void, place: (place: import("./building.js").Place) => void}} go
   */
  constructor(where, title, plan, state, go) {
    this.where = where;
    this.title = title;
    this.plan = plan;
    this.state = state;
    this.go = go;
    this.layer = LAYERS[0];
    this.deskRows = new DeskRows(state, go.desk);
    /** @type {Map<string, {button: HTMLElement, desks: HTMLElement, more: HTMLElement}>} */
    this.rows = new Map();
    plan.onShow((floor) => this.#fill(floor));
    this.paintSoon = oncePerFrame(() => this.#paint());
    const { free, dark, reserved, cutOff, temperature, power, light, coming, people, few } = state;
    for (const table of [free, dark, reserved, cutOff, temperature, power, light, coming, people].concat(few ?? [])) table.onChange(this.paintSoon);
  }

  /** @param {string} id */
  mark(id) {
    for (const [room, { button }] of this.rows) button.setAttribute("aria-pressed", String(room === id));
  }

  /** @param {import("./layers.js").Layer} layer whose values are told */
  tell(layer) {
    this.layer = layer;
    this.paintSoon();
  }

  #fill(/** @type {import("./building.js").Floor} */ floor) {
    this.rows.clear();
    this.deskRows.clear();
    this.where.replaceChildren();
    setText(this.title, floor.label);
    const left = new Set(floor.rooms);
    for (const [title, isOf] of GROUPS) {
      const rooms = [...left].filter((room) => (isOf ? isOf(room.kind) : room.desks.length > 0));
      rooms.forEach((room) => left.delete(room));
      this.#group(title, rooms.map((room) => this.#row(room)));
    }
    this.#group("Entrances, stairs, elevators", floor.places.map((place) => this.#placeRow(place)));
    if (!floor.rooms.length) this.where.append(element("p", { class: "note" }, "The plan of this floor has no rooms."));
    this.#paint();
  }

  #group(/** @type {string} */ title, /** @type {HTMLElement[]} */ items) {
    if (!items.length) return;
    const isMain = title === GROUPS[0][0] || title === GROUPS[1][0];
    const heading = element("summary", {}, title, element("span", { class: "tally" }, String(items.length)));
    this.where.append(element("details", { open: isMain, class: "room-group" }, heading, element("ul", {}, ...items)));
  }

  #row(/** @type {import("./building.js").Room} */ room) {
    const desks = element("span", { class: "row-desks" });
    const more = element("span", { class: "row-more" });
    const name = element("span", { class: "row-name" }, element("span", { class: "row-id" }, room.id), ` ${room.name}`);
    const button = element("button", { type: "button", "aria-pressed": "false", click: () => this.go.room(room.id) }, name, desks, more);
    this.rows.set(room.id, { button, desks, more });
    return element("li", {}, button, ...(room.desks.length ? this.deskRows.of(room) : []));
  }

  #placeRow(/** @type {import("./building.js").Place} */ place) {
    const name = element("span", { class: "row-name" }, place.name);
    const button = element("button", { type: "button", click: () => this.go.place(place) }, name, element("span", { class: "row-desks" }, place.kind));
    return element("li", {}, button);
  }

  #paint() {
    const { state, plan } = this;
    const elsewhere = state.building.floors.length > 1 ? `, ${peopleOn(state)} in the building` : "";
    setText(byId("floor-people"), `${peopleOn(state, plan.floor.floor)} on this floor${elsewhere}`);
    for (const [id, row] of this.rows) {
      const room = state.building.rooms.get(id);
      if (!room) continue;
      const closures = state.closures(room);
      const told = this.layer === LAYERS[0] ? wordsOf(LAYERS[3], room, state) : wordsOf(this.layer, room, state);
      setText(row.desks, room.desks.length ? `${state.freeDesks(room)} / ${room.desks.length} free` : "");
      setText(row.more, [...closures, ...(told ? [told] : [])].join(" · "));
      row.button.dataset.closed = String(closures.length > 0);
    }
  }
}
