/** Places in colours on the plan of a floor: rooms and desks filled, doors as lines, whatever stands at a point as a dot. */

import { element, mark, setText } from "./dom.js";
import { Plan } from "./map.js";
import { box, fits } from "./rooms.js";

/** @typedef {import("./placed_values.js").PlacedValue} PlacedValue */
/** @typedef {{places: PlacedValue[], classOf: (value: any) => string, textOf: (value: any) => string}} Painting */

const PANE = "people"; // above rooms, doors and desks
const RADIUS = 7;
const MARGIN = 6; // pixels around what is written into a room

export class AnswerPlan {
  /** @param {HTMLElement} where @param {import("./building.js").Building} building @param {(place: PlacedValue | undefined, id: string) => void} select */
  constructor(where, building, select) {
    this.select = select;
    this.plan = new Plan(where, building);
    this.plan.map.scrollWheelZoom.disable(); // who scrolls past the plan means the page
    this.layer = L.layerGroup().addTo(this.plan.map);
    this.rooms = L.layerGroup().addTo(this.plan.map);
    this.labels = L.layerGroup().addTo(this.plan.map);
    /** @type {Map<string, {path: any, spot: import("./place_index.js").Spot}>} */
    this.shapes = new Map();
    /** @type {Painting} */
    this.painting = { places: [], classOf: () => "none", textOf: () => "" };
    this.plan.onShow(() => this.#draw());
    this.plan.map.on("zoomend", () => this.#write());
  }

  /** @param {Painting} painting @param {Iterable<import("./place_index.js").Spot>} spots all of the kind */
  show(painting, spots) {
    if (!this.isFitted && this.plan.map.getSize().x > 0) {
      this.plan.fit();
      this.isFitted = true;
    }
    this.painting = painting;
    const here = [...spots].filter(({ floor }) => floor === this.plan.floor.floor);
    const isPoint = here[0]?.geometry.type === "Point";
    const named = new Set(painting.places.map(({ spot }) => spot));
    const wanted = isPoint ? here.filter((spot) => named.has(spot)) : here; // points without a row would hide those with one
    if (wanted.length !== this.shapes.size || wanted.some((spot) => this.shapes.get(spot.id)?.spot !== spot)) this.#place(wanted);
    this.#paint();
  }

  /** @param {number} floor */
  floor(floor) {
    this.plan.show(floor);
  }

  /** Another floor, or the plan was turned: everything is drawn anew. */
  #draw() {
    this.rooms.clearLayers();
    for (const { rings } of this.plan.floor.rooms) this.rooms.addLayer(this.plan.path("ground", "room-plain", { coordinates: rings }));
    const { places } = this.painting;
    this.#place([...this.shapes.values()].map(({ spot }) => spot).filter(({ floor }) => floor === this.plan.floor.floor));
    this.#paint();
    if (places.length) this.#write();
  }

  #place(/** @type {import("./place_index.js").Spot[]} */ spots) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.spot;
    this.layer.clearLayers();
    this.shapes.clear();
    for (const spot of spots) {
      const path = this.#path(spot);
      this.layer.addLayer(path);
      this.shapes.set(spot.id, { path, spot });
      this.#makeOperable(path, spot);
      if (spot.id === focused) path.getElement().focus();
    }
  }

  #path(/** @type {import("./place_index.js").Spot} */ { geometry }) {
    if (geometry.type !== "Point") return this.plan.path(geometry.type === "LineString" ? "doors" : "rooms", `spot ${geometry.type === "LineString" ? "spot-line" : "spot-area"}`, geometry, true);
    return L.circleMarker(this.plan.at(geometry.coordinates), { pane: PANE, renderer: this.plan.renderers[PANE], className: "spot spot-point", radius: RADIUS, interactive: true });
  }

  #makeOperable(/** @type {any} */ path, /** @type {import("./place_index.js").Spot} */ spot) {
    const shape = path.getElement();
    const choose = () => this.select(this.#valueAt(spot.id), spot.id);
    mark(shape, { spot: spot.id, kind: spot.kind });
    shape.setAttribute("role", "button");
    shape.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    });
    path.on("click", choose);
    path.bindTooltip(() => element("span", {}, this.#wordsOf(spot)), { sticky: true, direction: "top" });
  }

  #valueAt(/** @type {string} */ id) {
    return this.values?.get(id);
  }

  #wordsOf(/** @type {import("./place_index.js").Spot} */ spot) {
    const place = this.#valueAt(spot.id);
    const name = spot.name && spot.name !== spot.id ? `${spot.id} ${spot.name}` : spot.id;
    return `${name}: ${place ? this.painting.textOf(place.value) : "no row"}`;
  }

  #paint() {
    this.values = new Map(this.painting.places.map((place) => [place.spot.id, place]));
    for (const [id, { path, spot }] of this.shapes) {
      const place = this.values.get(id);
      const shape = path.getElement();
      mark(shape, { class: place ? this.painting.classOf(place.value) : "empty" });
      const words = this.#wordsOf(spot);
      if (shape.getAttribute("aria-label") !== words) shape.setAttribute("aria-label", words);
      shape.setAttribute("tabindex", place ? "0" : "-1");
    }
    this.#write();
  }

  /** Write the values into the areas that they fit into. */
  #write() {
    const scale = 2 ** this.plan.map.getZoom();
    this.labels.clearLayers();
    for (const { spot } of this.shapes.values()) {
      const place = this.#valueAt(spot.id);
      if (!place || spot.geometry.type !== "Polygon") continue;
      const [left, bottom, right, top] = box(spot.geometry.coordinates[0].map((/** @type {number[]} */ corner) => this.plan.place(corner)));
      const text = this.painting.textOf(place.value);
      const words = [`${spot.id}\n${text}`, text].find((each) => fits(each, (right - left) * scale - MARGIN, (top - bottom) * scale - MARGIN));
      if (words) this.#label(words, [(bottom + top) / 2, (left + right) / 2]);
    }
  }

  #label(/** @type {string} */ words, /** @type {[number, number]} */ at) {
    const text = element("span", { "aria-hidden": "true" });
    setText(text, words);
    const tip = L.tooltip({ permanent: true, direction: "center", className: "room-label", pane: "labels", interactive: false });
    tip.on("add", () => tip.getElement()?.setAttribute("role", "presentation")); // the shape says it already
    this.labels.addLayer(tip.setLatLng(at).setContent(text));
  }
}
