/**
 * What was looked for and stands in many places, marked on the plan: the machines with a program, the rooms with a
 * piece of equipment; with how many there are and how many of them are free.
 */

import { byId, oncePerFrame, setText } from "./dom.js";
import { plural } from "./format.js";

/** @typedef {{kind: "program" | "equipment", name: string}} Sought */

export class Found {
  /**
   * @param {import("./map.js").Plan} plan @param {import("./state.js").State} state
   * @param {import("./rooms.js").Rooms} rooms @param {import("./desks.js").Desks} desks
   * @param {{show: (floor: number) => void, changed: () => void}} go
   */
  constructor(plan, state, rooms, desks, go) {
    this.plan = plan;
    this.state = state;
    this.rooms = rooms;
    this.desks = desks;
    this.go = go;
    /** @type {Sought | null} */
    this.sought = null;
    this.repaint = oncePerFrame(() => this.#paint());
    this.isFresh = false;
    for (const table of [state.taken, state.busy, state.free]) table.onChange(this.repaint);
    for (const table of [state.equipment, state.software]) table.onChange(() => this.#come());
    byId("found-clear").addEventListener("click", () => this.clear());
  }

  /** As the address has it. */
  get text() {
    return this.sought ? `${this.sought.kind}:${this.sought.name}` : "";
  }

  /** @param {string} text from an address */
  restore(text) {
    const [kind, ...rest] = text.split(":");
    const name = rest.join(":");
    if (name && (kind === "program" || kind === "equipment")) this.mark({ kind, name });
    else this.clear();
  }

  /** @param {Sought} sought */
  mark(sought) {
    this.sought = sought;
    this.state.watchSoftware();
    this.isFresh = true;
    this.#come();
    this.go.changed();
  }

  clear() {
    if (!this.sought) return;
    this.sought = null;
    this.#paint();
    this.go.changed();
  }

  /** Mark what there is, and the first time that anything is known of it, go where some of it is. */
  #come() {
    if (!this.sought) return;
    const floors = this.#floors();
    if (this.isFresh && floors.length && !floors.includes(this.plan.floor.floor)) this.go.show(floors[0]);
    if (floors.length) this.isFresh = false;
    this.repaint();
  }

  #floors() {
    const { building } = this.state;
    const places = [...this.#desksFound()].map((id) => building.desks.get(id)).concat([...this.#roomsFound()].map((id) => building.rooms.get(id)));
    return [...new Set(places.map((place) => place?.floor ?? 0))];
  }

  #desksFound() {
    const { sought, state } = this;
    if (sought?.kind !== "program") return new Set();
    const machines = state.software.rows().filter((row) => row.package === sought.name);
    return new Set(machines.map((row) => state.building.machines.get(String(row.machine))?.desk ?? ""));
  }

  #roomsFound() {
    const { sought, state } = this;
    if (sought?.kind !== "equipment") return new Set();
    return new Set(state.equipment.rows().filter((row) => row.item === sought.name).map((row) => String(row.room)));
  }

  #paint() {
    const desks = this.#desksFound();
    const rooms = this.#roomsFound();
    this.desks.markFound(desks);
    this.rooms.markFound(rooms);
    byId("found").hidden = !this.sought;
    document.documentElement.dataset.found = this.sought?.kind ?? "";
    if (this.sought) setText(byId("found-words"), `${this.sought.name}: ${this.#words(desks, rooms)}`);
  }

  #words(/** @type {Set<string>} */ desks, /** @type {Set<string>} */ rooms) {
    if (this.sought?.kind === "equipment") return rooms.size ? `in ${plural(rooms.size, "room")}` : "nowhere";
    const known = [...desks].flatMap((id) => this.state.building.desks.get(id) ?? []);
    const free = known.filter((desk) => this.state.deskState(desk) === "free" && !this.state.isInUse(desk)).length;
    return desks.size ? `on ${plural(desks.size, "machine")}, ${free} free` : "on no machine";
  }
}
