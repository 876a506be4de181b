/** The building as drawn: floors, rooms, desks and machines, found by their id. */

/** @typedef {{id: string, name: string, kind: string, floor: number, rings: number[][][], desks: Desk[], called: string}} Room */
/** @typedef {{id: string, room: string, floor: number, ring: number[][], machine: Machine | null}} Desk */
/** @typedef {{id: string, name: string, desk: string, place: number[] | null}} Machine */
/** @typedef {{id: string, name: string, kind: string, floor: number, at: number[]}} Place an entrance, stairs or an elevator */
/** @typedef {{floor: number, label: string, short: string, features: any[], rooms: Room[], places: Place[]}} Floor */

const COMMON = 3;
const PLACES = ["entrance", "stairs", "elevator", "ramp"];

export class Building {
  /** @param {any} document what /api/building answers */
  constructor(document) {
    this.name = String(document.name ?? "Building");
    /** the routing point of the kiosk; empty where there is none */
    this.kiosk = String(document.kiosk?.point ?? "");
    /** @type {Map<string, Room>} */
    this.rooms = new Map();
    /** @type {Map<string, Desk>} */
    this.desks = new Map();
    /** @type {Map<string, Machine>} */
    this.machines = new Map();
    /** @type {Map<string, Place>} */
    this.places = new Map();
    const labels = new Map((document.floors ?? []).map((/** @type {any} */ f) => [f.floor, f.label]));
    const shorts = new Map((document.floors ?? []).map((/** @type {any} */ f) => [f.floor, f.short]));
    /** @type {Floor[]} */
    this.floors = document.plans.map((/** @type {any} */ plan) => ({
      floor: plan.floor,
      label: String(labels.get(plan.floor) ?? `Floor ${plan.floor}`),
      short: String(shorts.get(plan.floor) ?? plan.floor),
      features: plan.features,
      rooms: [],
      places: [],
    }));
    for (const kind of ["room", "desk", "machine", ...PLACES]) {
      for (const floor of this.floors) this.#take(floor, kind);
    }
    for (const floor of this.floors) this.#call(floor);
    /** Where one comes in: the lowest floor that is not below the ground, if there is one. */
    this.entry = this.floors.find(({ floor }) => floor >= 0)?.floor ?? this.floors[0]?.floor ?? 0;
  }

  static async fetch() {
    const answer = await fetch("/api/building");
    if (!answer.ok) throw new Error(`/api/building answered ${answer.status}`);
    return new Building(await answer.json());
  }

  #take(/** @type {Floor} */ floor, /** @type {string} */ kind) {
    for (const { properties, geometry } of floor.features.filter((f) => f.properties?.kind === kind)) {
      if (kind === "room") this.#room(floor, properties, geometry);
      if (kind === "desk") this.#desk(floor, properties, geometry);
      if (kind === "machine") this.#machine(properties, geometry);
      if (PLACES.includes(kind)) this.#place(floor, properties, geometry);
    }
  }

  #room(/** @type {Floor} */ floor, /** @type {any} */ properties, /** @type {any} */ geometry) {
    const { id, name, room_kind } = properties;
    const room = {
      id: String(id),
      name: String(name ?? id),
      kind: String(room_kind ?? "room"),
      floor: floor.floor,
      rings: geometry.coordinates,
      desks: [],
      called: String(name ?? id),
    };
    this.rooms.set(room.id, room);
    floor.rooms.push(room);
  }

  /** A name that many rooms of a floor share says nothing on a plan; there the number stands for it. */
  #call(/** @type {Floor} */ { rooms }) {
    for (const room of rooms) {
      if (rooms.filter((other) => other.name === room.name).length > COMMON) room.called = room.id;
    }
  }

  #desk(/** @type {Floor} */ floor, /** @type {any} */ properties, /** @type {any} */ geometry) {
    const { id, room } = properties;
    const desk = { id: String(id), room: String(room), floor: floor.floor, ring: geometry.coordinates[0], machine: null };
    this.desks.set(desk.id, desk);
    this.rooms.get(desk.room)?.desks.push(desk);
  }

  #machine(/** @type {any} */ { id, name, desk }, /** @type {any} */ geometry) {
    const place = geometry?.type === "Point" ? geometry.coordinates : null;
    const machine = { id: String(id), name: String(name ?? id), desk: String(desk), place };
    this.machines.set(machine.id, machine);
    const stands = this.desks.get(machine.desk);
    if (stands) stands.machine = machine;
  }

  #place(/** @type {Floor} */ floor, /** @type {any} */ { id, name, kind }, /** @type {any} */ geometry) {
    const place = { id: String(id), name: String(name ?? kind), kind, floor: floor.floor, at: middleOf(geometry) };
    this.places.set(`${floor.floor}/${place.id}`, place);
    floor.places.push(place);
  }
}

/** The middle of the box around a point, a line or an area. @param {any} geometry @returns {number[]} */
function middleOf({ type, coordinates }) {
  const corners = type === "Point" ? [coordinates] : type === "Polygon" ? coordinates[0] : coordinates;
  const [xs, ys] = [0, 1].map((axis) => corners.map((/** @type {number[]} */ corner) => corner[axis]));
  return [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
}
