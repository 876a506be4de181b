/** The floor switcher where nothing is known of desks: radio buttons, the top floor on top. */

import { element } from "./dom.js";

export class PlainFloors {
  /** @param {HTMLElement} where @param {import("./building.js").Building} building @param {(floor: number) => void} choose */
  constructor(where, building, choose) {
    /** @type {Map<number, HTMLInputElement>} */
    this.inputs = new Map();
    for (const { floor, label } of [...building.floors].reverse()) {
      const change = () => choose(floor);
      const input = /** @type {HTMLInputElement} */ (element("input", { type: "radio", name: "floor", value: String(floor), "aria-label": label, change }));
      where.append(element("label", { class: "floor", title: label }, input, element("span", { class: "floor-number" }, String(floor))));
      this.inputs.set(floor, input);
    }
  }

  /** @param {number} floor */
  mark(floor) {
    const input = this.inputs.get(floor);
    if (input) input.checked = true;
  }
}
