/** What the views say of a room, a desk, a person, now. */

export class State {
  /** @param {import("./feed.js").Feed} feed @param {import("./building.js").Building} building @param {string} role */
  constructor(feed, building, role) {
    this.building = building;
    this.taken = feed.table("taken_desks", "desk");
    this.dark = feed.table("dark_rooms", "room");
    this.reserved = feed.table("reserved_rooms", "room");
    this.busy = feed.table("busy_machines", "machine");
    this.people = feed.table("people", "person");
    this.temperature = feed.table("room_temperature", "room");
    this.power = feed.table("room_power", "room");
    this.machinePower = feed.table("machine_power", "machine");
    this.machineEnergy = feed.table("machine_energy", "machine");
    this.free = feed.table("free_desks", "room");
    this.word = feed.table("free_word_machines", "machine");
    this.recorded = feed.table("recorded_hours", "hour");
    this.nearest = feed.table("nearest_machines", "point");
    this.points = feed.table("walking_points", "point");
    this.roomPoints = feed.table("room_points", "room");
    this.cutOff = feed.table("cut_off_rooms", "room");
    this.doors = feed.table("doors_now", "door");
    this.devices = feed.table("room_devices", "room");
    this.feed = feed;
    this.mayTurnDoors = ["operator", "admin"].includes(role);
    this.known = ["operator", "admin"].includes(role) ? feed.table("known_devices", "device") : null;
    this.rejected = ["operator", "admin"].includes(role) ? feed.table("rejected", "topic") : null;
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

  openLabs() {
    const labs = [...this.building.rooms.values()].filter((room) => room.kind === "lab");
    return { open: labs.filter((lab) => !this.isClosed(lab)).length, all: labs.length };
  }
}
