/** The way on the plan: a line on each floor, where it starts and ends, and where it changes floors. */

import { element } from "./dom.js";
import { legsOf } from "./route.js";

/** Half of a long label, in pixels. */
const LABEL = 100;

export class Line {
  /** @param {import("./map.js").Plan} plan @param {import("./way.js").Way} way @param {(floor: number) => void} show */
  constructor(plan, way, show) {
    this.plan = plan;
    this.way = way;
    this.show = show;
    this.layer = L.layerGroup().addTo(plan.map);
    plan.onShow(() => this.#draw());
    plan.map.on("moveend", () => this.#draw());
    way.onChange(() => this.#draw());
    way.onChange(() => this.#flash());
    this.news = "";
  }

  /** A way that became another is seen to. */
  #flash() {
    const where = this.plan.map.getContainer();
    if (this.way.news !== this.news) where.classList.remove("way-flash");
    if (this.way.news && this.way.news !== this.news) {
      void where.offsetWidth; // the same animation begins again only so
      where.classList.add("way-flash");
    }
    this.news = this.way.news;
  }

  #draw() {
    this.layer.clearLayers();
    const { route, goal } = this.way;
    if (!route) return;
    const legs = legsOf(route);
    const here = this.plan.floor.floor;
    legs.forEach((leg, i) => {
      if (leg.floor !== here) return;
      const isLast = i === legs.length - 1;
      const places = leg.stops.map((stop) => stop.place);
      if (isLast && goal.place) places.push(goal.place);
      this.#stretch(places);
      if (i === 0) this.#spot("way-start", places[0]);
      else this.#change(legs[i - 1].floor, places[0], "from");
      if (isLast) this.#goal(route, /** @type {number[]} */ (places.at(-1)));
      else this.#change(legs[i + 1].floor, /** @type {number[]} */ (places.at(-1)), "to");
    });
  }

  #stretch(/** @type {number[][]} */ coordinates) {
    for (const kind of ["way-halo", "way"]) {
      this.layer.addLayer(this.plan.path("ways", kind, { type: "LineString", coordinates }));
    }
  }

  #spot(/** @type {string} */ kind, /** @type {number[]} */ place) {
    const options = { pane: "ways", renderer: this.plan.renderers.ways, className: kind, radius: 6, interactive: false };
    return L.circleMarker(this.plan.at(place), options).addTo(this.layer);
  }

  #goal(/** @type {import("./route.js").Route} */ route, /** @type {number[]} */ place) {
    const text = element("span", {}, `${this.way.goal.name} · ${Math.round(route.metres)} m`);
    const options = { permanent: true, ...this.#side(place), className: "way-goal-label", pane: "labels" };
    this.#spot("way-goal", place).bindTooltip(text, options);
  }

  /** On which side of a place a label stays on the screen. */
  #side(/** @type {number[]} */ place) {
    const { x } = this.plan.map.latLngToContainerPoint(this.plan.at(place));
    const room = this.plan.map.getSize().x - x;
    if (x < LABEL) return { direction: "right", offset: [8, 0] };
    return room < LABEL ? { direction: "left", offset: [-8, 0] } : { direction: "bottom", offset: [0, 8] };
  }

  /** A button where the way leaves for another floor or comes from it. */
  #change(/** @type {number} */ floor, /** @type {number[]} */ place, /** @type {"to" | "from"} */ word) {
    const arrow = floor > this.plan.floor.floor ? "↑" : "↓";
    const icon = L.divIcon({ className: "way-change", iconSize: [44, 26] });
    const marker = L.marker(this.plan.at(place), { icon, pane: "labels", keyboard: false }).addTo(this.layer);
    const button = element(
      "button",
      { type: "button", "aria-label": `The way ${word === "to" ? "goes on" : "comes from"} floor ${floor}; show floor ${floor}` },
      `${arrow} ${floor}`,
    );
    button.addEventListener("click", () => this.show(floor));
    marker.getElement()?.append(button);
  }
}
