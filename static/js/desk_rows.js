/** The desks of a room with their machines, as lines below the room's own in the list; made when they are opened. */

import { element, oncePerFrame, setText } from "./dom.js";
import { plural } from "./format.js";

const DESK_WORDS = { taken: "taken", free: "free", unknown: "no reading" };

export class DeskRows {
  /** @param {import("./state.js").State} state @param {(desk: string) => void} choose */
  constructor(state, choose) {
    this.state = state;
    this.choose = choose;
    /** @type {Map<string, HTMLElement>} what is said of each desk that is listed */
    this.words = new Map();
    /** @type {Set<string>} the rooms that are open, on any floor */
    this.open = new Set();
    const paint = oncePerFrame(() => this.#paint());
    for (const table of [state.taken, state.free, state.busy]) table.onChange(paint);
  }

  clear() {
    this.words.clear();
  }

  /** @param {import("./building.js").Room} room @returns {HTMLElement[]} what opens the lines, and where they stand */
  of(room) {
    const list = element("ul", { class: "desk-rows", id: `desks-of-${room.id}` });
    const label = `${plural(room.desks.length, "desk")} in ${room.id}`;
    const toggle = element("button", { type: "button", class: "unfold", "aria-label": label, title: label, "aria-controls": list.id });
    const show = () => {
      const isOpen = this.open.has(room.id);
      toggle.setAttribute("aria-expanded", String(isOpen));
      list.hidden = !isOpen;
      if (isOpen && !list.childElementCount) list.append(...room.desks.map((desk) => this.#line(desk)));
    };
    toggle.addEventListener("click", () => {
      if (!this.open.delete(room.id)) this.open.add(room.id);
      show();
    });
    show();
    return [toggle, list];
  }

  #line(/** @type {import("./building.js").Desk} */ desk) {
    const said = element("span", { class: "row-desks" }, this.#wordsOf(desk));
    this.words.set(desk.id, said);
    const machine = desk.machine ? ` ${desk.machine.name}` : "";
    const name = element("span", { class: "row-name" }, element("span", { class: "row-id" }, desk.id), machine);
    return element("li", {}, element("button", { type: "button", click: () => this.choose(desk.id) }, name, said));
  }

  #wordsOf(/** @type {import("./building.js").Desk} */ desk) {
    return [DESK_WORDS[this.state.deskState(desk)], this.state.isBusy(desk) ? "machine busy" : ""].filter(Boolean).join(", ");
  }

  #paint() {
    for (const [id, said] of this.words) {
      const desk = this.state.building.desks.get(id);
      if (desk) setText(said, this.#wordsOf(desk));
    }
  }
}
