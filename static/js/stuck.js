/** Sensors that are stuck, on the card of their room or desk; asked now and then, by whoever may see the past. */

import { element } from "./dom.js";
import { stuckText } from "./space_sensors.js";

const AGAIN = 120_000; // milliseconds

/** @typedef {import("./space_sensors.js").Stuck} Stuck */

export class StuckSensors {
  /** @param {() => void} paint asked when others are stuck than before */
  constructor(paint) {
    this.paint = paint;
    /** @type {Stuck[]} */
    this.found = [];
    if (document.body.dataset.role === "kiosk") return;
    this.#ask();
    setInterval(() => this.#ask(), AGAIN);
  }

  /** @param {string} sensor the desk or room that it is named by */
  of(sensor) {
    return shown(this.found.filter((each) => each.sensor === sensor));
  }

  /** @param {string} room */
  ofRoom(room) {
    return shown(this.found.filter((each) => each.room === room));
  }

  async #ask() {
    const answer = await fetch("/api/space/sensors").catch(() => null);
    if (!answer?.ok) return;
    this.found = (await answer.json().catch(() => null))?.sensors ?? [];
    this.paint();
  }
}

/** @param {Stuck[]} stuck */
function shown(stuck) {
  if (!stuck.length) return null;
  const items = stuck.map((each) => element("li", { "data-sensor": each.sensor }, element("strong", {}, `${each.name}${each.sensor === each.room ? "" : ` ${each.sensor}`}`), ` ${stuckText(each)}`));
  return element("section", { class: "stuck-sensors" }, element("h3", {}, stuck.length === 1 ? "A sensor that seems stuck" : "Sensors that seem stuck"), element("ul", {}, ...items));
}
