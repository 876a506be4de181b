/** The devices of a room on its card: each with what it said last, how long ago, and whether that is overdue. */

import { element } from "./dom.js";
import { age, isOverdue, measured, quantityOf, saidAt } from "./measured.js";

/** @typedef {import("./table.js").Row} Row */

const SECOND = 1_000_000; // microseconds
const inOrder = new Intl.Collator("en", { numeric: true });
const MOST = 8;

/** The list for a room, made anew when a device said something or a second has passed, else the same again. */
export class RoomDevices {
  /** @param {import("./state.js").State} state */
  constructor(state) {
    this.state = state;
    this.of = "";
    /** @type {HTMLElement | null} */
    this.where = null;
  }

  /** @param {string} room @returns {HTMLElement | null} */
  show(room) {
    const { devices, feed } = this.state;
    const of = `${room}\u0001${devices.tick}\u0001${Math.floor(feed.at / SECOND)}`;
    if (of !== this.of) this.where = roomDevices(devices.all(room), feed.at);
    this.of = of;
    return this.where;
  }
}

/** @param {Row[]} rows of one room @param {number} now in microseconds @returns {HTMLElement | null} */
function roomDevices(rows, now) {
  if (!rows.length) return null;
  /** @type {Map<string, Row[]>} */
  const devices = new Map();
  for (const row of rows) devices.set(String(row.device), [...(devices.get(String(row.device)) ?? []), row]);
  const shown = [...devices.values()].sort((a, b) => inOrder.compare(called(a[0]), called(b[0])));
  return element("section", { class: "room-devices" }, element("h3", {}, "Devices"), element("ul", {}, ...shown.map((of) => device(of, now))));
}

/** @param {Row[]} rows of one device @param {number} now */
function device(rows, now) {
  const [{ state, desk }] = rows;
  const head = element("p", {}, element("strong", {}, called(rows[0])), desk ? element("span", {}, ` desk ${desk}`) : null, isThere(state) ? null : element("span", { class: "chip", "data-chip": String(state) }, String(state)));
  const said = rows.filter((row) => saidAt(row) !== null);
  const more = said.length > MOST ? element("p", { class: "note" }, `and ${said.length - MOST} more`) : null;
  const values = said.sort((a, b) => inOrder.compare(quantityOf(a), quantityOf(b))).slice(0, MOST).map((row) => value(row, now));
  return element("li", { "data-device": String(rows[0].device), "data-state": String(state ?? "unknown") }, head, element("dl", {}, ...values), more);
}

/** @param {Row} row @param {number} now */
function value(row, now) {
  const said = element("dd", {}, element("b", {}, measured(row)), " ", element("time", {}, age(saidAt(row), now)));
  return element("div", { "data-overdue": String(isOverdue(row, now)), "data-entity": String(row.entity) }, element("dt", {}, quantityOf(row)), said);
}

/** @param {Row} row */
const called = (row) => String(row.called || row.device);

/** @param {unknown} state */
const isThere = (state) => state === "online" || state === null || state === undefined || state === "unknown";
