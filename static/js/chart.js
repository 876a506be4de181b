/** The recorded day: people in the building and power drawn, by the hour. */

import { byId, oncePerFrame, setText } from "./dom.js";

const HEIGHT = 150;

export class DayChart {
  /** @param {import("./state.js").State} state */
  constructor(state) {
    this.table = state.recorded;
    this.where = byId("chart");
    this.plot = null;
    const paint = oncePerFrame(() => this.#paint());
    this.table.onChange(paint);
    document.addEventListener("theme", () => {
      this.#forget();
      paint();
    });
    new ResizeObserver(() => this.plot?.setSize({ width: this.where.clientWidth, height: HEIGHT })).observe(this.where);
  }

  #paint() {
    const rows = this.table.rows().filter((row) => typeof row.hour === "number").sort((a, b) => a.hour - b.hour);
    byId("day").hidden = rows.length === 0;
    if (!rows.length) return;
    const columns = [
      rows.map((row) => row.hour),
      rows.map((row) => finite(row.occupied)),
      rows.map((row) => (finite(row.watts) === null ? null : row.watts / 1000)),
    ];
    const most = rows.reduce((best, row) => (Number(row.occupied) > Number(best.occupied) ? row : best));
    const people = Number(most.occupied).toFixed(0);
    setText(byId("chart-words"), people > 0 ? `Busiest at ${most.hour}:00 with ${people} people in the building.` : "Nobody so far.");
    if (this.plot) this.plot.setData(columns);
    else this.plot = new uPlot(this.#options(), columns, this.where);
  }

  #forget() {
    this.plot?.destroy();
    this.plot = null;
  }

  #options() {
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    return {
      width: this.where.clientWidth,
      height: HEIGHT,
      padding: [8, 4, 0, 0],
      cursor: { y: false, drag: { x: false, y: false } },
      legend: { live: true },
      scales: { x: { time: false, range: () => [0, 23] }, people: { range: fromZero }, power: { range: fromZero } },
      series: [
        { label: "Hour", value: (_, hour) => (hour === null ? "–" : `${hour}:00`) },
        { label: "People", scale: "people", stroke: colour("--accent"), fill: colour("--accent-soft"), width: 2, points: { show: false }, value: (_, v) => (v === null ? "–" : v.toFixed(0)) },
        { label: "Power", scale: "power", stroke: colour("--busy"), width: 1.5, points: { show: false }, value: (_, v) => (v === null ? "–" : `${v.toFixed(1)} kW`) },
      ],
      axes: [
        { ...axis, size: 24, splits: () => [0, 6, 12, 18], values: (_, hours) => hours.map((h) => `${h}:00`) },
        { ...axis, scale: "people", size: 34 },
        { ...axis, scale: "power", side: 1, size: 44, grid: { show: false }, values: (_, kilowatts) => kilowatts.map((v) => `${v} kW`) },
      ],
    };
  }
}

/** @param {unknown} value */
const finite = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** @param {any} _plot @param {number} _least @param {number} most */
const fromZero = (_plot, _least, most) => [0, Math.max(1, (most || 0) * 1.15)];
