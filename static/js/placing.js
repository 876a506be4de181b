/**
 * Things on the plan: desks, detectors and devices, moved by the pointer or by keys.
 *
 * Desks and detectors are kept as facts of the building, all of a building at once. Of a device its room is kept, by the
 * same words as on the page of devices; it is shown in the middle of its room.
 */

import { post } from "./ask.js";
import { byId, element, mark, setText } from "./dom.js";
import { areaOf, isInside } from "./inside.js";
import { Plan } from "./map.js";

/** @typedef {{kind: "desk" | "detector" | "device", id: string, floor: number, x: number, y: number, machine?: string | null, room?: string, name?: string}} Thing */

const SIGNS = { desk: "D", detector: "R", device: "S" };
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEP = 0.25;
const PAUSE = 500;

export class Placing {
  /** @param {import("./building.js").Building} building @param {Thing[]} things @param {any[]} devices */
  constructor(building, things, devices) {
    this.building = building;
    this.plan = new Plan(byId("plan"), building);
    this.layer = L.layerGroup().addTo(this.plan.map);
    /** @type {Thing[]} */
    this.things = [...things, ...devices.filter((each) => building.rooms.has(each.room)).map((each) => this.#device(each))];
    this.homeless = devices.filter((each) => !building.rooms.has(each.room));
    /** @type {Map<Thing, any>} */
    this.marks = new Map();
    /** @type {Thing | null} */
    this.chosen = null;
    this.floor = /** @type {HTMLSelectElement} */ (byId("floor"));
    this.floor.append(...building.floors.map((each) => element("option", { value: String(each.floor) }, each.label)));
    this.floor.addEventListener("change", () => this.show(Number(this.floor.value)));
    byId("add-desk").addEventListener("click", () => this.#add("desk"));
    byId("add-detector").addEventListener("click", () => this.#add("detector"));
    byId("add-device").addEventListener("click", () => this.#addDevice());
    byId("thing").addEventListener("submit", (event) => this.#rename(event));
    byId("thing-away").addEventListener("click", () => this.#takeAway());
    for (const where of ["things", "plan"]) byId(where).addEventListener("keydown", (event) => this.#key(event), true);
    this.plan.onShow((floor) => this.#drawRooms(floor));
    this.rooms = L.layerGroup().addTo(this.plan.map);
    this.plan.fit();
    this.#fillHomeless();
  }

  /** @param {number} floor */
  show(floor) {
    this.plan.show(floor);
    this.floor.value = String(floor);
    this.choose(null);
    this.#draw();
  }

  /** @param {Thing | null} thing */
  choose(thing) {
    this.chosen = thing;
    const form = /** @type {HTMLFormElement} */ (byId("thing"));
    form.hidden = thing === null;
    byId("thing-machine-label").hidden = thing?.kind !== "desk";
    const name = /** @type {HTMLInputElement} */ (byId("thing-name"));
    name.value = thing ? (thing.name ?? thing.id) : "";
    name.disabled = thing?.kind === "device";
    /** @type {HTMLInputElement} */ (byId("thing-machine")).value = thing?.machine ?? "";
    for (const [each, { icon, button }] of this.marks) {
      mark(icon.getElement(), { chosen: String(each === thing) });
      button.setAttribute("aria-pressed", String(each === thing));
    }
  }

  #drawRooms(/** @type {import("./building.js").Floor} */ floor) {
    this.rooms?.clearLayers();
    for (const room of floor.rooms) {
      const path = this.plan.path("rooms", "room", { type: "Polygon", coordinates: room.rings }, true);
      const name = element("span", {}, room.called);
      this.rooms?.addLayer(path.bindTooltip(name, { sticky: true }));
    }
  }

  #draw() {
    this.layer.clearLayers();
    this.marks.clear();
    byId("things").replaceChildren();
    for (const thing of this.things.filter((each) => each.floor === this.plan.floor.floor)) this.#put(thing);
    this.choose(this.chosen);
  }

  #put(/** @type {Thing} */ thing) {
    const icon = L.marker(this.plan.at([thing.x, thing.y]), {
      draggable: true,
      keyboard: false,
      pane: "labels",
      icon: L.divIcon({ className: "thing-mark", iconSize: [24, 24], html: element("span", {}, SIGNS[thing.kind]) }),
    });
    const button = element("button", { type: "button" }, this.#words(thing));
    button.addEventListener("click", () => this.choose(thing));
    icon.on("mousedown dragstart", () => this.choose(thing));
    icon.on("dragend", () => this.#dropped(thing, icon.getLatLng()));
    this.layer.addLayer(icon);
    mark(icon.getElement(), { kind: thing.kind });
    byId("things").append(element("li", {}, button));
    this.marks.set(thing, { icon, button });
  }

  #words(/** @type {Thing} */ thing) {
    const room = this.#roomAt(thing);
    return `${thing.kind} ${thing.name ?? thing.id}${thing.machine ? ` with ${thing.machine}` : ""}: ${room ? room.called : "in no room"}`;
  }

  #dropped(/** @type {Thing} */ thing, /** @type {any} */ { lat, lng }) {
    const [x, y] = this.plan.turned ? [-lat, lng] : [lng, lat];
    this.#move(thing, x, y);
  }

  #move(/** @type {Thing} */ thing, /** @type {number} */ x, /** @type {number} */ y) {
    thing.x = Math.round(x * 100) / 100;
    thing.y = Math.round(y * 100) / 100;
    const { icon, button } = this.marks.get(thing);
    icon.setLatLng(this.plan.at([thing.x, thing.y]));
    setText(button, this.#words(thing));
    this.#keepSoon(thing);
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    if (!this.chosen || (!step && event.key !== "Delete")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!step) return this.#takeAway();
    const far = event.shiftKey ? 1 : STEP;
    const [dx, dy] = this.plan.turned ? [-step[1], step[0]] : step;
    this.#move(this.chosen, this.chosen.x + dx * far, this.chosen.y + dy * far);
  }

  #add(/** @type {"desk" | "detector"} */ kind) {
    const used = new Set(this.things.filter((each) => each.kind === kind).map((each) => each.id));
    let number = used.size + 1;
    while (used.has(`${kind}-${number}`)) number += 1;
    this.#stand({ kind, id: `${kind}-${number}`, floor: this.plan.floor.floor, ...this.#middle(), machine: null });
  }

  #addDevice() {
    const chosen = /** @type {HTMLSelectElement} */ (byId("homeless")).value;
    const found = this.homeless.find((each) => each.device === chosen);
    if (!found) return;
    this.homeless = this.homeless.filter((each) => each !== found);
    this.#fillHomeless();
    this.#stand({ kind: "device", id: found.device, name: found.name ?? found.device, floor: this.plan.floor.floor, ...this.#middle(), room: "" });
  }

  #stand(/** @type {Thing} */ thing) {
    this.things.push(thing);
    this.#put(thing);
    this.choose(thing);
    this.marks.get(thing).button.focus();
    this.#keepSoon(thing);
  }

  #middle() {
    const { lat, lng } = this.plan.map.getCenter();
    const [x, y] = this.plan.turned ? [-lat, lng] : [lng, lat];
    return { x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 };
  }

  #rename(/** @type {Event} */ event) {
    event.preventDefault();
    const thing = this.chosen;
    if (!thing || thing.kind === "device") return;
    thing.id = /** @type {HTMLInputElement} */ (byId("thing-name")).value.trim();
    thing.machine = thing.kind === "desk" ? /** @type {HTMLInputElement} */ (byId("thing-machine")).value.trim() || null : null;
    setText(this.marks.get(thing).button, this.#words(thing));
    this.#keepSoon(thing);
  }

  #takeAway() {
    const thing = this.chosen;
    if (!thing) return;
    this.things = this.things.filter((each) => each !== thing);
    if (thing.kind === "device") {
      this.homeless.push({ device: thing.id, name: thing.name });
      this.#fillHomeless();
    }
    this.chosen = null;
    this.#draw();
    byId("floor").focus();
    if (thing.kind === "device") void this.#keep(() => this.#sayRoom(thing.id, null));
    else this.#keepSoon(thing);
  }

  /** Keep what was changed once hands are off it. */
  #keepSoon(/** @type {Thing} */ thing) {
    clearTimeout(this.timer);
    setText(byId("saved"), "Saving …");
    this.timer = setTimeout(() => void this.#keep(() => (thing.kind === "device" ? this.#keepRoom(thing) : this.#keepThings())), PAUSE);
  }

  /** @param {() => Promise<void>} how */
  async #keep(how) {
    setText(byId("saved"), "Saving …");
    try {
      await how();
      setText(byId("saved"), "Saved");
    } catch (error) {
      setText(byId("saved"), `Not saved: ${/** @type {Error} */ (error).message}`);
    }
  }

  async #keepThings() {
    const things = this.things.filter((each) => each.kind !== "device").map(({ kind, id, floor, x, y, machine }) => ({ kind, id, floor, x, y, machine }));
    await post("/api/building/placed", { things });
  }

  async #keepRoom(/** @type {Thing} */ thing) {
    const room = this.#roomAt(thing);
    if (!room) throw new Error(`${thing.name ?? thing.id} is in no room; move it into one`);
    if (room.id !== thing.room) await this.#sayRoom(thing.id, room.id);
    thing.room = room.id;
  }

  /** @param {string} device @param {string | null} room */
  async #sayRoom(device, room) {
    await post("/api/devices", { device, room });
  }

  #fillHomeless() {
    const select = byId("homeless");
    select.replaceChildren(...this.homeless.map((each) => element("option", { value: each.device }, each.name || each.device)));
    for (const where of ["homeless-label", "add-device"]) byId(where).hidden = this.homeless.length === 0;
  }

  #device(/** @type {any} */ { device, name, room }) {
    const found = /** @type {import("./building.js").Room} */ (this.building.rooms.get(room));
    const ring = found.rings[0].slice(0, -1);
    const [x, y] = [0, 1].map((axis) => ring.reduce((sum, corner) => sum + corner[axis], 0) / ring.length);
    return /** @type {Thing} */ ({ kind: "device", id: device, name: name ?? device, floor: found.floor, x, y, room });
  }

  #roomAt(/** @type {Thing} */ { floor, x, y }) {
    const rooms = this.building.floors.find((each) => each.floor === floor)?.rooms ?? [];
    return rooms.filter((room) => isInside(room.rings[0], x, y)).sort((a, b) => areaOf(a.rings[0]) - areaOf(b.rings[0]))[0];
  }
}
