/** The floor switcher: radio buttons, the top floor on top, each with the number of its free desks. */

import { element, oncePerFrame, setText } from "./dom.js";

export class Floors {
  /**
   * @param {HTMLElement} where
   * @param {import("./state.js").State} state
   * @param {(floor: number) => void} choose
   */
  constructor(where, state, choose) {
    this.state = state;
    /** @type {Map<number, {input: HTMLInputElement, free: HTMLElement}>} */
    this.rows = new Map();
    for (const floor of [...state.building.floors].reverse()) {
      const free = element("span", { class: "floor-free" });
      const input = /** @type {HTMLInputElement} */ (
        element("input", { type: "radio", name: "floor", value: String(floor.floor), "aria-label": floor.label })
      );
      input.addEventListener("change", () => choose(floor.floor));
      const number = element("span", { class: "floor-number" }, floor.short);
      where.append(element("label", { class: "floor", title: floor.label }, input, number, free));
      this.rows.set(floor.floor, { input, free });
    }
    const paint = oncePerFrame(() => this.#paint());
    state.free.onChange(paint);
    paint();
  }

  /** @param {number} floor */
  mark(floor) {
    const row = this.rows.get(floor);
    if (row) row.input.checked = true;
  }

  #paint() {
    for (const floor of this.state.building.floors) {
      const free = floor.rooms.reduce((sum, room) => sum + this.state.freeDesks(room), 0);
      const row = this.rows.get(floor.floor);
      if (row) setText(row.free, `${free} free`);
    }
  }
}
