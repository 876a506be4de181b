/** All rooms side by side, and the floors that they are on. */

import { byId, element, setText } from "./dom.js";
import { plural } from "./format.js";
import { SortedTable } from "./sorted_table.js";
import { fewOf, number } from "./space_hours.js";

const FIGURES = [
  { name: "mean", title: "Mean", of: (/** @type {any} */ row) => row.mean, text: (/** @type {any} */ row) => row.few || number(row.mean), number: true },
  { name: "peak", title: "Peak", of: (/** @type {any} */ row) => row.peak, text: (/** @type {any} */ row) => row.few || number(row.peak, 0), number: true },
  { name: "used", title: "In use", of: (/** @type {any} */ row) => row.used_hours, text: (/** @type {any} */ row) => share(row.used_hours, row), number: true },
  { name: "reserved", title: "Reserved", of: (/** @type {any} */ row) => row.reserved_hours, text: (/** @type {any} */ row) => `${number(row.reserved_hours)} h`, number: true },
  { name: "idle", title: "Reserved, empty", of: (/** @type {any} */ row) => row.idle_hours, text: (/** @type {any} */ row) => `${number(row.idle_hours)} h`, number: true },
];

export class SpaceRooms {
  /** @param {(room: string) => void} choose */
  constructor(choose) {
    const link = (/** @type {any} */ row) => element("button", { type: "button", class: "link", click: () => choose(row.place) }, row.place === row.name ? row.name : `${row.place} ${row.name}`);
    this.table = new SortedTable(byId("rooms-table"), "Each room", [
      { name: "room", title: "Room", of: (row) => row.place, text: link },
      { name: "kind", title: "Kind", of: (row) => row.kind },
      { name: "floor", title: "Floor", of: (row) => row.floor, number: true },
      ...FIGURES,
    ], "idle", true);
    this.floors = new SortedTable(byId("floors-table"), "Each floor", [
      { name: "floor", title: "Floor", of: (row) => Number(row.place), text: (row) => `Floor ${row.place}` },
      { ...FIGURES[0] }, { ...FIGURES[1] },
      { name: "used", title: "Rooms in use", of: (row) => row.used_hours, text: (row) => number(row.known_hours ? row.used_hours / row.known_hours : null), number: true },
      { ...FIGURES[3] }, { ...FIGURES[4] },
    ], "floor");
  }

  /** @param {any} use @param {string} csv */
  show(use, csv) {
    byId("rooms-csv").setAttribute("href", csv);
    const said = (/** @type {any[]} */ rows) => rows.map((row) => ({ ...row, few: fewOf(row.peak, use.least) }));
    this.table.show(said(use.rooms));
    this.floors.show(said(use.floors));
    setText(byId("rooms-count"), use.rooms.length ? plural(use.rooms.length, "room") : "no room has been heard of");
  }
}

/** A share of the hours of which something is known. @param {number} hours @param {any} row */
const share = (hours, row) => (row.known_hours ? `${Math.round((100 * hours) / row.known_hours)} %` : "–");
