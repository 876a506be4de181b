/** How a place is used by the hour: a chart with its table, and the week's pattern as a table of its own. */

import { byId, element, setText } from "./dom.js";
import { Plot } from "./plot.js";
import { SortedTable } from "./sorted_table.js";

/** @typedef {{at: number[], mean: (number|null)[], peak: (number|null)[], least: number, used: (number|null)[], reserved: (number|null)[], idle: (number|null)[], kwh: (number|null)[]}} Hours */

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const SHADES = 4;
const hour = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export class SpaceHours {
  constructor() {
    this.plot = new Plot(byId("hours-chart"), 210, [
      { label: "Mean", colour: "--accent", fill: "--accent-soft", width: 2, unit: "" },
      { label: "Peak", colour: "--busy", unit: "", digits: 0, dash: [5, 4] },
    ], { most: 2, hourly: true });
    this.table = new SortedTable(byId("hours-table"), "Each hour", [
      { name: "at", title: "Hour", of: (row) => row.at, text: (row) => hour.format(new Date(row.at / 1000)), descending: true },
      { name: "mean", title: "Mean", of: (row) => row.mean, text: (row) => row.few || number(row.mean), number: true },
      { name: "peak", title: "Peak", of: (row) => row.peak, text: (row) => row.few || number(row.peak, 0), number: true },
      { name: "used", title: "In use", of: (row) => row.used, text: (row) => number(row.used, 2), number: true },
      { name: "reserved", title: "Reserved", of: (row) => row.reserved, text: (row) => number(row.reserved, 2), number: true },
      { name: "idle", title: "Reserved, empty", of: (row) => row.idle, text: (row) => number(row.idle, 2), number: true },
      { name: "kwh", title: "kWh", of: (row) => row.kwh, text: (row) => number(row.kwh, 2), number: true },
    ], "at");
  }

  /** @param {Hours} hours @param {string} place @param {string} csv */
  show(hours, place, csv) {
    setText(byId("hours-place"), place);
    byId("hours-csv").setAttribute("href", csv);
    this.plot.show(hours.at, hours.mean, hours.peak);
    this.table.show(hours.at.map((at, n) => ({ at, few: fewOf(hours.peak[n], hours.least), mean: hours.mean[n], peak: hours.peak[n], used: hours.used[n], reserved: hours.reserved[n], idle: hours.idle[n], kwh: hours.kwh[n] })));
    const known = hours.mean.filter((mean, n) => mean !== null || hours.peak[n] === null);
    setText(byId("hours-words"), words(hours, known.length));
    byId("hours-shown").hidden = !known.length;
    byId("week-block").hidden = !known.length;
    byId("week").replaceChildren(week(hours));
  }
}

/** @param {Hours} hours @param {number} known */
function words(hours, known) {
  if (!known) return "Nothing is known of this place in this stretch: no cushion and no lamp of it has spoken while its past was kept.";
  const most = Math.max(...hours.peak.map((peak) => peak ?? 0));
  const at = hours.at[hours.peak.indexOf(most)];
  const idle = sum(hours.idle);
  const reserved = sum(hours.reserved);
  const empty = reserved >= 0.05 ? ` Of ${reserved.toFixed(1)} reserved hours, ${idle.toFixed(1)} (${Math.round((100 * idle) / reserved)} %) saw nobody.` : " Nothing was reserved.";
  if (!most && hours.peak.includes(null)) return `Never were ${hours.least} desks taken at once.${empty}`;
  return most ? `At most ${most} ${most === 1 ? "desk" : "desks"} taken, first in the hour from ${hour.format(new Date(at / 1000))}.${empty}` : `No desk was taken.${empty}`;
}

/** The mean of each hour of the week, over the weeks of the stretch. @param {Hours} hours */
function week(hours) {
  const cells = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => ({ total: 0, hours: 0 })));
  hours.at.forEach((at, n) => {
    const moment = new Date(at / 1000);
    const mean = hours.mean[n];
    if (mean === null) return;
    const cell = cells[(moment.getDay() + 6) % 7][moment.getHours()];
    cell.total += mean;
    cell.hours += 1;
  });
  const most = Math.max(...cells.flat().map(({ total, hours }) => (hours ? total / hours : 0)), 1e-9);
  const head = element("tr", {}, element("th", { scope: "col" }, element("span", { class: "unseen" }, "Day")), ...Array.from({ length: 24 }, (_, n) => element("th", { scope: "col" }, String(n))));
  const rows = cells.map((of, day) => element("tr", {}, element("th", { scope: "row" }, element("abbr", { title: DAYS[day] }, DAYS[day].slice(0, 3))), ...of.map((cell) => shaded(cell, most))));
  return element("table", { class: "week" }, element("caption", {}, "Desks taken on average, by the hour of the day; the stronger the colour, the more"), element("thead", {}, head), element("tbody", {}, ...rows));
}

/** @param {{total: number, hours: number}} cell @param {number} most */
function shaded({ total, hours }, most) {
  if (!hours) return element("td", { class: "unknown" }, element("span", { class: "unseen" }, "not known"));
  const mean = total / hours;
  return element("td", { "data-shade": String(Math.min(SHADES, Math.ceil((mean / most) * SHADES))) }, mean >= 10 ? mean.toFixed(0) : mean.toFixed(1).replace(/\.0$/, ""));
}

/** @param {(number | null)[]} values @returns {number} */
const sum = (values) => values.reduce((/** @type {number} */ total, value) => total + (value ?? 0), 0);

/** What is said in place of a count that may not be told. @param {number | null} peak @param {number} least */
export const fewOf = (peak, least) => (peak === null ? `under ${least}` : "");

/** @param {number | null} value @param {number} [digits] */
export const number = (value, digits = 1) => (value === null || value === undefined ? "–" : value.toFixed(digits));
