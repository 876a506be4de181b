/**
 * What of the building an answer may name, and where it is: rooms, desks, machines, doors, devices and points.
 *
 *     the plans  →  rooms, desks, machines, doors        what can be asked  →  routing points, devices
 */

import { ask, post } from "./ask.js";
import { Building } from "./building.js";
import { middleOf } from "./geometry.js";

/** @typedef {{id: string, kind: string, name: string, floor: number, room: string, geometry: {type: string, coordinates: any}}} Spot */
/** @typedef {typeof KINDS[number][0]} Kind */

/** As they are drawn: each above those before it. */
export const KINDS = /** @type {const} */ ([["room", "rooms"], ["desk", "desks"], ["door", "doors"], ["machine", "machines"], ["device", "devices"], ["detector", "detectors"], ["point", "routing points"]]);
/** What is asked of a view, where the building has it. */
const ASKED = {
  walking_points: "SELECT point, floor, x, y, kind FROM walking_points",
  known_devices: "SELECT device, name, room, desk FROM known_devices",
  doors_now: "SELECT door, name, floor, x1, y1, x2, y2 FROM doors_now",
};

export class PlaceIndex {
  /** @param {Building} building */
  constructor(building) {
    this.building = building;
    /** @type {Map<string, Map<string, Spot>>} */
    this.kinds = new Map(KINDS.map(([kind]) => [kind, new Map()]));
    for (const room of building.rooms.values()) this.#add("room", { id: room.id, name: room.name, floor: room.floor, room: room.id, geometry: { type: "Polygon", coordinates: room.rings } });
    for (const desk of building.desks.values()) this.#add("desk", { id: desk.id, name: "", floor: desk.floor, room: desk.room, geometry: { type: "Polygon", coordinates: [desk.ring] } });
    for (const machine of building.machines.values()) this.#at("machine", machine.id, machine.name, building.desks.get(machine.desk), machine.place);
    for (const { floor, features } of building.floors) {
      for (const { properties, geometry } of features) {
        const kind = properties?.kind;
        if (kind === "door" || kind === "detector") this.#add(kind, { id: String(properties.id), name: String(properties.name ?? ""), floor, room: String(properties.room ?? ""), geometry });
      }
    }
  }

  static async fetch() {
    const index = new PlaceIndex(await Building.fetch());
    const { relations } = await ask("/api/schema");
    const there = new Set(relations.map((/** @type {{name: string}} */ { name }) => name));
    const [points, devices, doors] = await Promise.all(Object.entries(ASKED).map(([view, sql]) => (there.has(view) ? rowsOf(sql) : [])));
    for (const [door, name, floor, x1, y1, x2, y2] of doors) index.#add("door", { id: String(door), name: String(name ?? ""), floor, room: "", geometry: { type: "LineString", coordinates: [[x1, y1], [x2, y2]] } });
    for (const [point, floor, x, y, kind] of points) index.#add("point", { id: String(point), name: String(kind), floor, room: "", geometry: { type: "Point", coordinates: [x, y] } });
    for (const [device, name, room, desk] of devices) index.#device(String(device), String(name ?? ""), room, desk);
    return index;
  }

  /** @param {string} kind @param {any} id @returns {Spot | undefined} */
  spot(kind, id) {
    return this.kinds.get(kind)?.get(String(id));
  }

  #device(/** @type {string} */ id, /** @type {string} */ name, /** @type {any} */ room, /** @type {any} */ desk) {
    const stands = this.building.desks.get(desk);
    const inside = this.building.rooms.get(room);
    if (stands) this.#at("device", id, name, stands, null);
    else if (inside) this.#add("device", { id, name, floor: inside.floor, room: inside.id, geometry: { type: "Point", coordinates: middleOf(inside.rings[0]) } });
  }

  #at(/** @type {Kind} */ kind, /** @type {string} */ id, /** @type {string} */ name, /** @type {import("./building.js").Desk | undefined} */ desk, /** @type {number[] | null} */ place) {
    if (desk) this.#add(kind, { id, name, floor: desk.floor, room: desk.room, geometry: { type: "Point", coordinates: place ?? middleOf(desk.ring) } });
  }

  #add(/** @type {Kind} */ kind, /** @type {Omit<Spot, "kind">} */ spot) {
    this.kinds.get(kind)?.set(spot.id, { ...spot, kind });
  }
}

/** @param {string} sql @returns {Promise<any[][]>} */
async function rowsOf(sql) {
  const { outcomes } = await post("/api/statements", { sql });
  return outcomes[0].rows;
}
