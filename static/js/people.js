/**
 * People on the plan: dots that glide to where a person was last located.
 *
 *     each frame:  here ← here + (there − here) · (1 − e^(−dt/τ))
 *
 * which is smooth at any rate of updates. Frames are asked for only while somebody moves.
 */

import { element } from "./dom.js";

const TAU = 320;
const ARRIVED = 0.03;
const JUMP = 12;

/** @typedef {{floor: number, here: number[], there: number[], dot: any}} Walker */

export class People {
  /** @param {import("./map.js").Plan} plan @param {import("./state.js").State} state */
  constructor(plan, state) {
    this.plan = plan;
    this.table = state.people;
    /** @type {Map<string, Walker>} */
    this.walkers = new Map();
    this.layer = L.layerGroup().addTo(plan.map);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.frame = 0;
    this.last = 0;
    state.people.onChange((people) => {
      people.forEach((person) => this.#place(person));
      this.#wake();
    });
    plan.onShow(() => {
      for (const walker of this.walkers.values()) {
        walker.dot.setLatLng(plan.at(walker.here));
        this.#appear(walker);
      }
    });
  }

  #place(/** @type {string} */ person) {
    const rows = this.table.all(person);
    const walker = this.walkers.get(person);
    const row = rows.find((found) => found.floor === walker?.floor) ?? rows.at(-1);
    if (!row || typeof row.x !== "number" || typeof row.y !== "number") {
      walker?.dot.remove();
      this.walkers.delete(person);
      return;
    }
    const there = [row.x, row.y];
    if (!walker) this.#enter(person, row.floor, there);
    else this.#send(walker, row.floor, there);
  }

  #enter(/** @type {string} */ person, /** @type {number} */ floor, /** @type {number[]} */ there) {
    const options = { pane: "people", renderer: this.plan.renderers.people, className: "person", radius: 4.5 };
    const dot = L.circleMarker(this.plan.at(there), options);
    dot.bindTooltip(element("span", {}, String(person)), { direction: "top", offset: [0, -6] });
    const walker = { floor, here: there, there, dot };
    this.walkers.set(person, walker);
    this.#appear(walker);
  }

  #send(/** @type {Walker} */ walker, /** @type {number} */ floor, /** @type {number[]} */ there) {
    walker.there = there;
    const far = Math.hypot(there[0] - walker.here[0], there[1] - walker.here[1]) > JUMP;
    if (floor === walker.floor && !far && !this.still.matches) return;
    walker.floor = floor;
    walker.here = there;
    walker.dot.setLatLng(this.plan.at(there));
    this.#appear(walker);
  }

  #appear(/** @type {Walker} */ { floor, dot }) {
    if (floor === this.plan.floor.floor) this.layer.addLayer(dot);
    else this.layer.removeLayer(dot);
  }

  #wake() {
    if (this.frame) return;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.#step(now));
  }

  #step(/** @type {number} */ now) {
    const share = 1 - Math.exp(-Math.max(now - this.last, 1) / TAU);
    this.last = now;
    let moving = false;
    for (const walker of this.walkers.values()) moving = this.#move(walker, share) || moving;
    this.frame = moving ? requestAnimationFrame((next) => this.#step(next)) : 0;
  }

  #move(/** @type {Walker} */ walker, /** @type {number} */ share) {
    const [dx, dy] = [walker.there[0] - walker.here[0], walker.there[1] - walker.here[1]];
    if (Math.abs(dx) + Math.abs(dy) < ARRIVED) return false;
    walker.here = [walker.here[0] + dx * share, walker.here[1] + dy * share];
    walker.dot.setLatLng(this.plan.at(walker.here));
    return true;
  }
}
