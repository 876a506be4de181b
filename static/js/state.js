/** What the views say of a room, a desk, a person: now, or at the moment of the past that is shown. */

import { Table } from "./table.js";

export class State {
  /** @param {import("./feed.js").Feed} feed @param {import("./building.js").Building} building @param {string} role */
  constructor(feed, building, role) {
    this.building = building;
    this.taken = feed.table("taken_desks", "desk");
    this.dark = feed.table("dark_rooms", "room");
    this.reserved = feed.table("reserved_rooms", "room");
    this.busy = feed.table("busy_machines", "machine");
    const seesAll = ["analyst", "operator", "admin"].includes(role);
    this.people = feed.table(seesAll ? "people" : "people_together", "person");
    /** floors with somebody, but too few for their number to be told; the server sends no more than that */
    this.few = seesAll ? null : feed.table("floors_with_few", "floor");
    this.temperature = feed.table("room_temperature", "room");
    this.power = feed.table("room_power", "room");
    this.light = feed.table("room_light", "room");
    this.equipment = feed.table("room_equipment", "room");
    this.coming = feed.table("coming_bookings", "room");
    this.machinePower = feed.table("machine_power", "machine");
    this.machineEnergy = feed.table("machine_energy", "machine");
    this.free = feed.table("free_desks", "room");
    this.word = feed.table("free_word_machines", "machine");
    this.recorded = feed.table("recorded_hours", "hour");
    this.nearest = feed.table("nearest_machines", "point");
    this.points = feed.table("walking_points", "point");
    this.roomPoints = feed.table("room_points", "room");
    this.segments = feed.table("walking_ways", "a");
    this.cutOff = feed.table("cut_off_rooms", "room");
    this.doors = feed.table("doors_now", "door");
    this.devices = feed.table("room_devices", "room");
    /** what is shown as it was, where a past of it is kept; the others are not known of any moment but now */
    this.kept = [this.taken, this.free, this.dark, this.reserved, this.coming, this.busy, this.people]
      .concat(this.few ?? [], [this.temperature, this.power, this.light, this.machinePower, this.doors]);
    this.unkept = [this.machineEnergy, this.word, this.nearest, this.cutOff, this.devices];
    this.feed = feed;
    this.software = new Table("machine_software", "machine");
    /** the moment of the past that is shown, in microseconds; 0 for now */
    this.then = 0;
    this.mayTurnDoors = ["operator", "admin"].includes(role);
    this.known = ["operator", "admin"].includes(role) ? feed.table("known_devices", "device") : null;
    this.rejected = ["operator", "admin"].includes(role) ? feed.table("rejected", "topic") : null;
  }

  /** Follow from now on which programs are on which machines; most visitors never ask. */
  watchSoftware() {
    this.feed.follow(this.software);
  }

  /** How many people there are, on one floor or in all of the building. @param {number} [floor] @returns {string} */
  peopleCount(floor) {
    const shown = this.people.rows().filter((row) => floor === undefined || row.floor === floor).length;
    const few = this.few?.rows().filter((row) => floor === undefined || row.floor === floor) ?? [];
    if (!few.length) return String(shown);
    return shown ? `over ${shown}` : `under ${few.reduce((sum, row) => sum + Number(row.least) - 1, 1)}`;
  }

  /** The time of what is shown, in microseconds. */
  get at() {
    return this.then || this.feed.at;
  }

  /** @param {import("./building.js").Room} room */
  isClosed(room) {
    return this.closures(room).length > 0;
  }

  /** Desks whose cushion said that nobody sits there; one that never spoke is not free. @param {import("./building.js").Room} room */
  freeDesks(room) {
    return Number(this.free.get(room.id)?.free ?? 0);
  }

  /** @param {import("./building.js").Desk} desk @returns {"taken" | "free" | "unknown"} */
  deskState(desk) {
    if (this.taken.has(desk.id)) return "taken";
    return this.free.has(desk.room) ? "free" : "unknown";
  }

  /** Why a room is greyed, in words; empty where it is not. @param {import("./building.js").Room} room @returns {string[]} */
  closures(room) {
    const tables = /** @type {const} */ ([["reserved", this.reserved], ["dark", this.dark], ["cut off", this.cutOff]]);
    return tables.filter(([, table]) => table.has(room.id)).map(([word]) => word);
  }

  /** @param {import("./building.js").Desk} desk */
  isBusy(desk) {
    return desk.machine !== null && this.busy.has(desk.machine.id);
  }

  /** A machine is in use when its processor is busy or somebody sits before it. @param {import("./building.js").Desk} desk */
  isInUse(desk) {
    return this.isBusy(desk) || this.taken.has(desk.id);
  }

  openLabs() {
    const labs = [...this.building.rooms.values()].filter((room) => room.kind === "lab");
    return { open: labs.filter((lab) => !this.isClosed(lab)).length, all: labs.length };
  }
}
