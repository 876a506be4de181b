/**
 * Detail that grows with zoom: names of entrances, stairs and elevators first, then machines, then their hosts.
 *
 *     pixels a metre      under 13   13 …     17 …        34 …
 *     shown beside rooms  signs      names    machines    hosts
 *
 * What stands in a room is written by `rooms.js`; only what is in sight gets a label.
 */

import { element, mark, oncePerFrame } from "./dom.js";
import { power } from "./format.js";

const NAMES = 13;
const MACHINES = 17;
const HOSTS = 34;
const SIGNS = /** @type {Record<string, string>} */ ({ elevator: "⇅", stairs: "≡", entrance: "" });

export class Detail {
  /** @param {import("./map.js").Plan} plan @param {import("./state.js").State} state */
  constructor(plan, state) {
    this.plan = plan;
    this.state = state;
    this.machines = L.layerGroup().addTo(plan.map);
    this.labels = L.layerGroup().addTo(plan.map);
    /** @type {Map<string, any>} */
    this.dots = new Map();
    const draw = oncePerFrame(() => this.#draw());
    const paint = oncePerFrame(() => this.#paint());
    plan.onShow(draw);
    plan.map.on("zoomend moveend", draw);
    for (const table of [state.busy, state.taken]) table.onChange(paint);
    state.machinePower.onChange(() => this.scale >= HOSTS && draw());
    draw();
  }

  /** Pixels a metre. */
  get scale() {
    return 2 ** this.plan.map.getZoom();
  }

  #draw() {
    const { scale } = this;
    this.machines.clearLayers();
    this.labels.clearLayers();
    this.dots.clear();
    const desks = this.plan.floor.rooms.flatMap((room) => room.desks).filter((desk) => desk.machine && this.#inSight(desk.ring));
    if (scale >= MACHINES) desks.forEach((desk) => this.#machine(desk));
    if (scale >= HOSTS) desks.forEach((desk) => this.#host(desk));
    for (const place of this.plan.floor.places) this.#place(place, scale >= NAMES);
    this.#paint();
  }

  #inSight(/** @type {number[][]} */ ring) {
    return this.plan.map.getBounds().pad(0.1).contains(this.plan.at(ring[0]));
  }

  #machine(/** @type {import("./building.js").Desk} */ desk) {
    const options = { pane: "machines", renderer: this.plan.renderers.machines, className: "machine", interactive: false };
    const dot = L.circleMarker(this.plan.at(desk.machine?.place ?? middle(desk.ring)), { ...options, radius: Math.min(5, this.scale / 7) });
    this.machines.addLayer(dot);
    this.dots.set(desk.id, dot);
  }

  #host(/** @type {import("./building.js").Desk} */ desk) {
    const watts = this.state.machinePower.get(desk.machine?.id)?.watts;
    const text = `${desk.machine?.name}${typeof watts === "number" ? `\n${power(watts)}` : ""}`;
    this.#label(middle(desk.ring), text, "machine-label");
  }

  #place(/** @type {import("./building.js").Place} */ place, /** @type {boolean} */ named) {
    const sign = SIGNS[place.kind] ?? "";
    const text = named ? [sign, place.name].filter(Boolean).join("\n") : sign;
    if (text) this.#label(place.at, text, `room-label place-label place-${place.kind}`);
  }

  #label(/** @type {number[]} */ at, /** @type {string} */ text, /** @type {string} */ kind) {
    const tip = L.tooltip({ permanent: true, direction: "center", className: kind, pane: "labels", interactive: false });
    tip.on("add", () => tip.getElement()?.setAttribute("role", "presentation")); // the list says it too
    this.labels.addLayer(tip.setLatLng(this.plan.at(at)).setContent(element("span", { "aria-hidden": "true" }, text)));
  }

  #paint() {
    for (const [id, dot] of this.dots) {
      const desk = this.state.building.desks.get(id);
      const shape = dot.getElement();
      if (desk && shape) mark(shape, { use: this.state.isInUse(desk) ? "busy" : "free" });
    }
  }
}

/** @param {number[][]} ring @returns {number[]} */
function middle(ring) {
  const xs = ring.map(([x]) => x);
  const ys = ring.map(([, y]) => y);
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}
