/** The way that is shown: from the kiosk, or from a room that somebody chose, to where the views lead now. */

import { oncePerFrame } from "./dom.js";
import { routeFrom } from "./route.js";

export class Way {
  /** @param {import("./state.js").State} state */
  constructor(state) {
    this.state = state;
    /** the room that one starts from; empty for the kiosk */
    this.room = "";
    /** @type {import("./route.js").Route | null} */
    this.route = null;
    /** @type {(() => void)[]} */
    this.listeners = [];
    const look = oncePerFrame(() => this.#look());
    for (const table of [state.nearest, state.points, state.roomPoints]) table.onChange(look);
  }

  /** @param {() => void} listener told when the way, or where it starts, is another */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** @param {string} room empty for the kiosk */
  startFrom(room) {
    this.room = room;
    this.#look();
  }

  /** What one calls the place where the way starts. */
  get from() {
    const room = this.state.building.rooms.get(this.room);
    if (room) return `${room.name}, ${room.id}`;
    return this.state.building.kiosk ? "the kiosk" : "the entrance";
  }

  /** Whether the building has these views, and knows where the way starts. */
  get isKnown() {
    return this.state.nearest.tick !== null && this.state.points.has(this.#start());
  }

  /** @returns {import("./building.js").Desk | undefined} where the machine stands */
  get desk() {
    const { machines, desks } = this.state.building;
    return desks.get(machines.get(this.route?.machine ?? "")?.desk ?? "");
  }

  #start() {
    const { building, roomPoints, points } = this.state;
    if (this.room) return String(roomPoints.get(this.room)?.point ?? "");
    return building.kiosk || String(points.rows().find((point) => point.kind === "entrance")?.point ?? "");
  }

  #look() {
    this.route = routeFrom(this.#start(), this.state.nearest, this.state.points);
    for (const listener of this.listeners) listener();
  }
}
