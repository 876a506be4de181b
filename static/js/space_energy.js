/** What was drawn, by whom, and what it cost. */

import { byId, setText } from "./dom.js";
import { Plot } from "./plot.js";
import { SortedTable } from "./sorted_table.js";
import { number } from "./space_hours.js";

const DAY_HOURS = 50; // from so many hours on a bar is a day
const MOST = 50;
const KINDS = /** @type {const} */ (["floors", "rooms", "machines"]);

export class SpaceEnergy {
  constructor() {
    this.kind = "floors";
    this.found = null;
    this.plot = new Plot(byId("energy-chart"), 180, [{ label: "Energy", colour: "--busy", fill: "--busy", unit: "kWh", digits: 2, bars: true, width: 0 }], { most: 0.01 });
    this.table = new SortedTable(byId("energy-table"), "Who drew it", [
      { name: "name", title: "Name", of: (row) => row.name, text: (row) => (row.name === row.of || row.name.startsWith("Floor ") ? row.name : `${row.name} (${row.of})`) },
      { name: "where", title: "Where", of: (row) => row.where || "–" },
      { name: "kwh", title: "Energy", of: (row) => row.kwh, text: (row) => `${number(row.kwh, 2)} kWh`, number: true, descending: true },
      { name: "cost", title: "Cost", of: (row) => row.cost, text: (row) => this.#money(row.cost), number: true },
    ], "kwh");
    for (const kind of KINDS) byId(`energy-${kind}`).addEventListener("change", () => this.#choose(kind));
  }

  /** @param {any} energy @param {import("./space_hours.js").Hours} hours @param {string} place @param {string} csv */
  show(energy, hours, place, csv) {
    this.found = energy;
    byId("energy-csv").setAttribute("href", csv);
    const { at, kwh } = bars(hours);
    this.plot.show(at, kwh);
    const drawn = kwh.reduce((/** @type {number} */ total, each) => total + (each ?? 0), 0);
    const whole = energy.total.kwh;
    const costs = energy.tariff ? `, ${this.#money(energy.total.cost)} at ${energy.tariff.per_kwh} ${energy.tariff.currency} a kWh` : "";
    setText(byId("energy-words"), kwh.some((each) => each !== null) || whole ? `${place}: ${drawn.toFixed(2)} kWh. The building: ${whole.toFixed(2)} kWh${costs}.` : "No power was measured in this stretch.");
    byId("no-tariff").hidden = energy.tariff !== null;
    this.#paint();
  }

  #choose(/** @type {string} */ kind) {
    this.kind = kind;
    this.#paint();
  }

  #paint() {
    const rows = this.found?.[this.kind] ?? [];
    this.table.show(rows, MOST);
    setText(byId("energy-more"), rows.length > MOST ? `${MOST} of ${rows.length} are shown, in this order; the CSV has all.` : "");
  }

  #money(/** @type {number | null} */ cost) {
    return cost === null ? "–" : `${cost.toFixed(2)} ${this.found?.tariff?.currency ?? ""}`;
  }
}

/** By the hour, or, of a long stretch, by the day here. @param {import("./space_hours.js").Hours} hours */
function bars(hours) {
  if (hours.at.length < DAY_HOURS) return { at: hours.at, kwh: hours.kwh };
  /** @type {Map<number, number | null>} */
  const days = new Map();
  hours.at.forEach((at, n) => {
    const day = new Date(at / 1000).setHours(0, 0, 0, 0) * 1000;
    const kwh = hours.kwh[n];
    days.set(day, kwh === null ? (days.get(day) ?? null) : (days.get(day) ?? 0) + kwh);
  });
  return { at: [...days.keys()], kwh: [...days.values()] };
}
