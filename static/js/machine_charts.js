/** A day of a machine in three charts: processor, power, and the temperature of its room. */

import { element, setText } from "./dom.js";
import { Plot } from "./plot.js";

const POINTS = 400;
const AGAIN = 60_000; // milliseconds
const HOURS = /** @type {const} */ (["1 hour", "24 hours", "7 days"]);

/** @typedef {{title: string, view: string, column: string, of: "machine" | "room", colour: string, unit: string, scale: number, digits: number}} Chart */
/** @type {Chart[]} */
const CHARTS = [
  { title: "Processor", view: "machine_load", column: "cpu", of: "machine", colour: "--accent", unit: "%", scale: 100, digits: 0 },
  { title: "Power", view: "machine_power", column: "watts", of: "machine", colour: "--busy", unit: "W", scale: 1, digits: 0 },
  { title: "Room temperature", view: "room_temperature", column: "celsius", of: "room", colour: "--person", unit: "°C", scale: 1, digits: 1 },
];

export class MachineCharts {
  constructor() {
    this.hours = "24 hours";
    this.keys = { machine: "", room: "" };
    this.asked = 0;
    this.shown = CHARTS.map((chart) => new OneChart(chart));
    const choice = element("fieldset", { class: "stretch" }, element("legend", {}, "The past"), ...HOURS.map((hours) => this.#choice(hours)));
    this.where = element("section", { class: "machine-past", "aria-label": "How it went" }, choice, ...this.shown.map((chart) => chart.where));
    setInterval(() => this.keys.machine && this.#show(), AGAIN);
  }

  /** @param {string} machine @param {string} room */
  follow(machine, room) {
    this.keys = { machine, room };
    for (const chart of this.shown) chart.clear();
    if (machine) this.#show();
  }

  #choice(/** @type {string} */ hours) {
    const choose = () => {
      this.hours = hours;
      this.#show();
    };
    return element("label", {}, element("input", { type: "radio", name: "stretch", checked: hours === this.hours, change: choose, "data-focus": `past-${hours}` }), element("span", {}, hours));
  }

  async #show() {
    const turn = ++this.asked;
    const keys = { ...this.keys };
    await Promise.all(this.shown.map(async (chart) => {
      const found = await past(chart.chart, keys[chart.chart.of], this.hours);
      if (turn === this.asked) chart.show(found);
    }));
  }
}

/** Whether there is a past at all, for who looks. */
async function hasPast() {
  if (document.body.dataset.role === "kiosk") return false;
  const answer = await fetch("/api/past").catch(() => null);
  const span = answer?.ok ? await answer.json().catch(() => null) : null;
  return Boolean(span?.from);
}

/** What the past has of one column of one key; a text where it has nothing to tell. @param {Chart} chart @param {string} key @param {string} hours */
async function past({ view, column, of }, key, hours) {
  if (!(await hasPast())) return "no past is kept here yet";
  const asked = new URLSearchParams({ key: `${of}=${key}`, from: hours, points: String(POINTS), column });
  const answer = await fetch(`/api/views/${view}/history?${asked}`).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (!answer?.ok) return String(body?.error ?? "the server cannot be reached");
  const figures = body.series[0]?.columns[0];
  return figures ? { at: body.at, mean: figures.mean_over_time, most: figures.max, held: figures.held } : "nothing has been measured";
}

class OneChart {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    this.words = element("p", { class: "note" }, "Reading the past …");
    this.canvas = element("div", { class: "chart", role: "img", "aria-label": chart.title });
    this.where = element("figure", { "data-chart": chart.view }, element("figcaption", {}, chart.title), this.canvas, this.words);
    this.plot = new Plot(this.canvas, 110, [{ label: chart.title, colour: chart.colour, unit: chart.unit, digits: chart.digits, width: 1.5 }], { most: chart.unit === "%" ? 100 : 1 });
  }

  clear() {
    this.plot.clear();
    setText(this.words, "Reading the past …");
  }

  /** @param {string | {at: number[], mean: (number | null)[], most: (number | null)[], held: (number | null)[]}} found */
  show(found) {
    if (typeof found === "string") {
      this.plot.clear();
      setText(this.words, found);
      return;
    }
    const values = found.mean.map((mean) => (mean === null ? null : mean * this.chart.scale));
    this.plot.show(found.at, values);
    const known = values.filter((value) => value !== null);
    const most = Math.max(...found.most.filter((value) => value !== null), ...known.map((value) => value / this.chart.scale)) * this.chart.scale;
    const told = (/** @type {number} */ value) => `${value.toFixed(this.chart.digits)} ${this.chart.unit}`;
    setText(this.words, known.length ? `mean ${told(known.reduce((a, b) => a + b, 0) / known.length)}, at most ${told(most)}` : "nothing has been measured");
    this.canvas.setAttribute("aria-label", `${this.chart.title}: ${this.words.textContent}`);
  }
}
