/**
 * Rooms on the plan: their outline, whether they are reserved, dark or cut off, or the colour of the layer that is
 * chosen; and in each, as far as it fits, its name, the layer's value and, near by, what stands in it.
 */

import { element, mark, oncePerFrame, setText } from "./dom.js";
import { LAYERS } from "./layers.js";

/** From this many pixels a metre on, what stands in a room is written into it. */
const NEAR = 17;
const LINE = 14; // pixels
const MINUTE = 60_000_000; // microseconds

const ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

export class Rooms {
  /** @param {import("./map.js").Plan} plan @param {import("./state.js").State} state @param {(id: string) => void} select */
  constructor(plan, state, select) {
    this.plan = plan;
    this.state = state;
    this.select = select;
    this.selected = "";
    this.minute = 0;
    this.colouring = LAYERS[0];
    /** @type {Set<string>} */
    this.found = new Set();
    /** @type {Map<string, string>} the name of the worst alarm that nobody knows of, by room */
    this.alarmed = new Map();
    this.layer = L.layerGroup().addTo(plan.map);
    /** @type {Map<string, any>} */
    this.paths = new Map();
    /** @type {{room: import("./building.js").Room, text: HTMLElement}[]} */
    this.labels = [];
    plan.onShow((floor) => this.#draw(floor));
    plan.map.on("zoomend", () => this.#fitLabels());
    const paint = oncePerFrame(() => this.paint());
    state.reserved.onChange(paint);
    state.dark.onChange(paint);
    state.cutOff.onChange(paint);
    for (const table of [state.free, state.temperature, state.power, state.light, state.coming]) table.onChange(paint);
    state.equipment.onChange(paint);
    state.feed.addEventListener("look", () => this.#grow(Math.floor(state.at / MINUTE)));
  }

  /** What is ahead comes nearer. @param {number} minute */
  #grow(minute) {
    if (minute === this.minute) return;
    this.minute = minute;
    this.paint();
  }

  /** @param {import("./layers.js").Layer} layer */
  colour(layer) {
    this.colouring = layer;
    this.paint();
  }

  /** @param {Set<string>} rooms that are looked for */
  markFound(rooms) {
    this.found = rooms;
    this.paint();
  }

  /** @param {Map<string, string>} rooms */
  markAlarmed(rooms) {
    this.alarmed = rooms;
    this.paint();
  }

  /** @param {string} id */
  mark(id) {
    this.selected = id;
    this.paint();
  }

  paint() {
    for (const [id, path] of this.paths) {
      const shape = path.getElement();
      const room = this.state.building.rooms.get(id);
      if (!shape || !room) continue;
      const closures = this.state.closures(room);
      const { shade, text } = this.colouring.of(room, this.state);
      mark(shape, {
        shade: shade === null ? "none" : String(shade),
        found: String(this.found.has(id)),
        alarm: String(this.alarmed.has(id)),
        reserved: String(closures.includes("reserved")),
        dark: String(closures.includes("dark")),
        cutOff: String(closures.includes("cut off")),
        selected: String(id === this.selected),
      });
      const said = this.colouring === LAYERS[0] ? [] : [text || "no reading"];
      const alarm = this.alarmed.has(id) ? [`alarm: ${this.alarmed.get(id)}`] : [];
      const label = [room.id, room.name, ...alarm, ...closures, ...said].join(", ");
      if (shape.getAttribute("aria-label") !== label) shape.setAttribute("aria-label", label);
    }
    this.#fitLabels();
  }

  #draw(/** @type {import("./building.js").Floor} */ floor) {
    this.layer.clearLayers();
    this.paths.clear();
    this.labels = [];
    for (const room of floor.rooms) {
      const path = this.plan.path("rooms", "room", { coordinates: room.rings }, true);
      this.layer.addLayer(path);
      this.#makeOperable(path, room);
      this.paths.set(room.id, path);
      this.#label(room);
    }
    this.paint();
  }

  #makeOperable(/** @type {any} */ path, /** @type {import("./building.js").Room} */ room) {
    const shape = path.getElement();
    shape.dataset.room = room.id;
    shape.dataset.kind = room.kind;
    shape.setAttribute("role", "button");
    shape.setAttribute("tabindex", "0");
    shape.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.select(room.id);
    });
    path.on("click", () => this.select(room.id));
  }

  #label(/** @type {import("./building.js").Room} */ room) {
    const text = element("span", { "aria-hidden": "true" });
    const tip = L.tooltip({ permanent: true, direction: "center", className: "room-label", pane: "labels", interactive: false });
    tip.on("add", () => tip.getElement()?.setAttribute("role", "presentation")); // the shape says its name already
    this.layer.addLayer(tip.setLatLng(this.#quietSpot(room)).setContent(text));
    this.labels.push({ room, text });
  }

  #fitLabels() {
    const scale = 2 ** this.plan.map.getZoom();
    ruler.font = "600 11px system-ui";
    for (const { room, text } of this.labels) {
      const [width, height] = this.#extent(room).map((metres) => metres * scale - 6);
      const words = this.#wordings(room, scale).find((words) => fits(words, width, height)) ?? "";
      setText(text, words);
    }
  }

  /** What may stand in a room, the fullest first. A value comes before a long name, except where desks say it. */
  #wordings(/** @type {import("./building.js").Room} */ room, /** @type {number} */ scale) {
    const value = this.colouring.of(room, this.state).text;
    const names = [room.called, inTwoLines(room.called), room.id];
    const plain = scale < NEAR && this.colouring === LAYERS[0];
    if (plain) return names;
    const valued = value ? [...names.map((name) => `${name}\n${value}`), value] : [];
    const things = scale < NEAR ? [] : this.state.equipment.all(room.id).map((row) => (row.pieces > 1 ? `${row.pieces} × ${row.item}` : String(row.item)));
    const full = things.length ? names.map((name) => [name, ...(value ? [value] : []), ...things].join("\n")) : [];
    return [...full, ...valued, ...names];
  }

  #extent(/** @type {import("./building.js").Room} */ room) {
    const [left, bottom, right, top] = box(room.rings[0].map((corner) => this.plan.place(corner)));
    return [right - left, top - bottom];
  }

  /** Where on the room's middle line a name hides the fewest desks. @returns {[number, number]} for Leaflet */
  #quietSpot(/** @type {import("./building.js").Room} */ room) {
    const [left, bottom, right, top] = box(room.rings[0].map((corner) => this.plan.place(corner)));
    const [x, middle] = [(left + right) / 2, (bottom + top) / 2];
    const desks = room.desks.map((desk) => box(desk.ring.map((corner) => this.plan.place(corner))));
    const heights = desks.filter((desk) => Math.abs(desk[0] - x) < 6).map((desk) => (desk[1] + desk[3]) / 2);
    const margin = Math.min(1.4, (top - bottom) / 3);
    let best = { y: middle, score: -1 };
    for (let i = 0; i <= 10; i++) {
      const y = bottom + margin + ((top - bottom - 2 * margin) * i) / 10;
      const away = Math.min(1.6, ...heights.map((height) => Math.abs(height - y)));
      const score = away - Math.abs(y - middle) / 100;
      if (score > best.score) best = { y, score };
    }
    return [best.y, x];
  }
}

/** @param {number[][]} ring @returns {[number, number, number, number]} left, bottom, right, top */
export function box(ring) {
  const xs = ring.map(([x]) => x);
  const ys = ring.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** @param {string} words */
function inTwoLines(words) {
  const spaces = [...words.matchAll(/ /g)].map((found) => found.index ?? 0);
  if (!spaces.length) return words;
  const middle = spaces.reduce((best, at) => (Math.abs(at - words.length / 2) < Math.abs(best - words.length / 2) ? at : best));
  return `${words.slice(0, middle)}\n${words.slice(middle + 1)}`;
}

/** @param {string} words @param {number} width @param {number} height in pixels */
export function fits(words, width, height) {
  const lines = words.split("\n");
  return height >= LINE * lines.length && lines.every((line) => ruler.measureText(line).width <= width);
}
