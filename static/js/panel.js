/**
 * The pane of what is selected: a room, a desk with its machine, or a door. By keyboard, the focus goes with a
 * door from its row in the list into the pane, and back when the pane is closed; the Enter that is held down
 * all the while presses nothing there.
 */

import { DoorPane } from "./door_pane.js";
import { element, oncePerFrame } from "./dom.js";
import { amount, hourAndMinute, plural, power } from "./format.js";
import { MachinePane } from "./machine_pane.js";
import { RoomDevices } from "./room_devices.js";
import { StuckSensors } from "./stuck.js";

/** @typedef {{room: string, desk: string, door: string}} Selection */

const AGING = 1000; // milliseconds between two looks at how old values are
const DESK_WORDS = { taken: "taken", free: "free", unknown: "no reading" };

export class Panel {
  /**
   * @param {HTMLElement} where
   * @param {import("./state.js").State} state
   * @param {{room: (id: string) => void, desk: (id: string) => void, start: (room: string) => void, close: () => void}} go
   */
  constructor(where, state, go) {
    this.where = where;
    this.state = state;
    this.go = go;
    /** @type {Selection} */
    this.selection = { room: "", desk: "", door: "" };
    where.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && event.preventDefault());
    this.paint = oncePerFrame(() => this.#paint());
    this.roomDevices = new RoomDevices(state);
    this.doorPane = new DoorPane(this.paint, state.mayTurnDoors);
    this.machinePane = new MachinePane(state, this.paint);
    this.stuck = new StuckSensors(this.paint);
    const { taken, free, dark, reserved, cutOff, busy, temperature, power: watts, doors, devices } = state;
    const { machinePower, machineEnergy } = state;
    for (const table of [taken, free, dark, reserved, cutOff, busy, temperature, watts, doors, devices]) table.onChange(this.paint);
    for (const table of [machinePower, machineEnergy]) table.onChange((machines) => machines.has(this.#machine()) && this.paint());
    setInterval(() => devices.has(this.selection.room) && this.paint(), AGING);
  }

  /** @param {Selection} selection */
  show(selection) {
    const focused = document.querySelector(":focus-visible");
    const left = this.where.contains(focused) ? this.selection.door : "";
    this.selection = selection;
    const { machine = null, room = "" } = this.state.building.desks.get(selection.desk) ?? {};
    this.machinePane.follow(machine, room);
    this.#paint();
    if (focused?.matches("[data-door-row]")) focus(this.where, this.state.mayTurnDoors ? "[data-focus='turn']" : "[data-focus='close']");
    if (left && this.where.hidden) focus(document, `[data-door-row="${CSS.escape(left)}"]`);
  }

  #paint() {
    const room = this.state.building.rooms.get(this.selection.room);
    const desk = this.state.building.desks.get(this.selection.desk);
    const focused = document.activeElement?.getAttribute("data-focus");
    const door = this.state.doors.get(this.selection.door);
    this.where.hidden = !room && !door;
    this.where.replaceChildren(...(door ? this.#door(door) : desk && room ? this.#desk(desk, room) : room ? this.#room(room) : []));
    if (focused) focus(this.where, `[data-focus="${CSS.escape(focused)}"]`);
  }

  #door(/** @type {import("./table.js").Row} */ door) {
    const kind = door.kind === "corridor" ? "corridor door" : `${door.kind} door`;
    const parts = [this.#head(String(door.name), `${door.door} · ${kind} · floor ${door.floor}`), ...this.doorPane.parts(door)];
    return parts.filter((part) => part !== null);
  }

  #room(/** @type {import("./building.js").Room} */ room) {
    const { state } = this;
    const lux = state.dark.get(room.id)?.lux;
    return [
      this.#head(room.name, `${room.id} · ${room.kind} · floor ${room.floor}`),
      this.#chips(room),
      facts([
        ["Temperature", amount(state.temperature.get(room.id)?.celsius, "°C", 1)],
        ["Power", power(state.power.get(room.id)?.watts)],
        ["Free desks", room.desks.length ? `${state.freeDesks(room)} of ${room.desks.length}` : "no desks"],
        ["Light", state.dark.has(room.id) ? `off, ${amount(lux, "lx")}` : "on"],
      ]),
      ...state.reserved.all(room.id).map((row) => booking(row)),
      this.stuck.ofRoom(room.id),
      this.roomDevices.show(room.id),
      this.#startButton(room),
      this.#deskList(room),
    ].filter((part) => part !== null);
  }

  #desk(/** @type {import("./building.js").Desk} */ desk, /** @type {import("./building.js").Room} */ room) {
    const { state } = this;
    const word = desk.machine && state.word.has(desk.machine.id);
    return [
      this.#head(`Desk ${desk.id}`, `${DESK_WORDS[state.deskState(desk)]}${desk.machine ? ` · ${desk.machine.name}` : ""}${state.isBusy(desk) ? " · machine busy" : ""}`),
      element("p", { class: "pane-back" }, button(`‹ ${room.name}`, "link", () => this.go.room(room.id))),
      desk.machine ? null : element("p", { class: "note" }, "No machine stands here."),
      word ? element("p", { class: "note" }, "Free to sit down and write: has Word, in an open lab.") : null,
      ...this.machinePane.parts(),
      this.stuck.of(desk.id),
    ].filter((part) => part !== null);
  }

  /** The machine on the desk that is shown. */
  #machine() {
    return this.state.building.desks.get(this.selection.desk)?.machine?.id ?? "";
  }

  #head(/** @type {string} */ title, /** @type {string} */ subtitle) {
    const close = button("×", "close", () => this.go.close());
    close.setAttribute("aria-label", "Close");
    close.dataset.focus = "close";
    return element("header", { class: "pane-head" }, element("div", {}, element("h2", {}, title), element("p", {}, subtitle)), close);
  }

  #startButton(/** @type {import("./building.js").Room} */ room) {
    if (!this.state.roomPoints.has(room.id)) return null;
    const made = button("Way from here to a free machine", "act", () => this.go.start(room.id));
    made.dataset.focus = "start";
    return made;
  }

  #chips(/** @type {import("./building.js").Room} */ room) {
    const closures = this.state.closures(room);
    const chips = closures.length ? closures : [room.kind === "lab" ? "open lab" : "open"];
    return element("p", { class: "chips" }, ...chips.map((text) => element("span", { class: "chip", "data-chip": text }, text)));
  }

  #deskList(/** @type {import("./building.js").Room} */ room) {
    if (!room.desks.length) return element("p", { class: "note" }, "No desks with sensors here.");
    const items = room.desks.map((desk) => {
      const text = desk.id.split("-").at(-1) ?? desk.id;
      const made = button(text, "desk-chip", () => this.go.desk(desk.id));
      const seat = this.state.deskState(desk);
      made.dataset.state = seat;
      made.dataset.focus = desk.id;
      made.setAttribute("aria-label", `Desk ${desk.id}, ${DESK_WORDS[seat]}${this.state.isBusy(desk) ? ", machine busy" : ""}`);
      if (this.state.isBusy(desk)) made.dataset.machine = "busy";
      return made;
    });
    return element("div", { class: "desk-chips", role: "group", "aria-label": plural(items.length, "desk") }, ...items);
  }
}

/** @param {ParentNode} within @param {string} selector */
function focus(within, selector) {
  /** @type {HTMLElement | null} */ (within.querySelector(selector))?.focus();
}

/** @param {string} text @param {string} kind @param {() => void} act */
function button(text, kind, act) {
  return element("button", { type: "button", class: kind, click: act }, text);
}

/** @param {[string, string][]} pairs */
function facts(pairs) {
  const cells = pairs.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  return element("dl", { class: "facts" }, ...cells);
}

/** @param {import("./table.js").Row} row */
function booking(row) {
  const until = row.ends === null || row.ends === undefined ? "" : ` until ${hourAndMinute(row.ends)}`;
  return element("p", { class: "booking" }, element("strong", {}, String(row.title ?? "Reserved")), `Reserved${until}`);
}
