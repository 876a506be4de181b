/**
 * A chart over time by uPlot: in the page's colours, light or dark, as wide as its place. What it shows stands in
 * words or in a table beside it, since a canvas says nothing to a reader.
 */

/** @typedef {{label: string, colour: string, unit?: string, fill?: string, width?: number, digits?: number, bars?: boolean, dash?: number[], steps?: boolean, points?: boolean}} Line */
/** @typedef {{most?: number, hourly?: boolean, isPlain?: boolean, isClose?: boolean}} Bounds plain: x is no time; close: y need not begin at zero */

const MICRO = 1_000_000;
const HOURS = [1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * 3_600); // what hours are marked by, however few there are
const when = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export class Plot {
  /** @param {HTMLElement} where @param {number} height @param {Line[]} lines @param {Bounds} [bounds] */
  constructor(where, height, lines, bounds = {}) {
    this.where = where;
    this.height = height;
    this.lines = lines;
    this.bounds = bounds;
    this.plot = null;
    /** @type {(number | null)[][]} */
    this.columns = [];
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#again());
    new MutationObserver(() => this.#again()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    new ResizeObserver(() => this.plot?.setSize({ width: this.#width(), height })).observe(where);
  }

  /** Show other lines from now on. @param {Line[]} lines @param {Bounds} bounds */
  draw(lines, bounds) {
    if (JSON.stringify([lines, bounds]) === JSON.stringify([this.lines, this.bounds])) return;
    this.clear();
    this.lines = lines;
    this.bounds = bounds;
  }

  /** @param {number[]} at microseconds, where x is a time @param {...(number | null)[]} values of each line */
  show(at, ...values) {
    this.columns = [this.bounds.isPlain ? at : at.map((moment) => moment / MICRO), ...values];
    if (this.plot) this.plot.setData(this.columns);
    else if (at.length) this.plot = new uPlot(this.#options(), this.columns, this.where);
  }

  #width() {
    const { paddingLeft, paddingRight } = getComputedStyle(this.where);
    return Math.max(this.where.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), 120);
  }

  clear() {
    this.columns = [];
    this.plot?.destroy();
    this.plot = null;
  }

  #again() {
    this.plot?.destroy();
    this.plot = this.columns[0]?.length ? new uPlot(this.#options(), this.columns, this.where) : null;
  }

  /** @param {number} least @param {number} most @returns {[number, number]} */
  #range(least, most) {
    const room = (most - least) * 0.1 || Math.abs(most) * 0.1 || 1;
    if (this.bounds.isClose && least !== null) return [least - room, most + room];
    return [Math.min(0, (least || 0) * 1.1), Math.max(this.bounds.most ?? 0, (most || 0) * 1.1, 1e-3)];
  }

  #options() {
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const unit = this.lines[0].unit ?? "";
    return {
      width: this.#width(),
      height: this.height,
      padding: [8, 8, 0, 0],
      cursor: { y: false, drag: { x: false, y: false } },
      legend: { live: true },
      scales: { x: { time: !this.bounds.isPlain }, y: { range: (/** @type {any} */ _u, /** @type {number} */ least, /** @type {number} */ most) => this.#range(least, most) } },
      series: [{ label: this.bounds.isPlain ? "At" : "Time", value: (/** @type {any} */ _u, /** @type {number | null} */ at) => (at === null ? "–" : this.bounds.isPlain ? short(at) : when.format(new Date(at * 1000))) }, ...this.lines.map((line) => series(line, colour))],
      axes: [{ ...axis, size: 40, ...(this.bounds.hourly ? { incrs: HOURS } : {}) }, { ...axis, size: 52, values: (/** @type {any} */ _u, /** @type {number[]} */ values) => values.map((v) => `${short(v)}${unit ? ` ${unit}` : ""}`) }],
    };
  }
}

/** @param {Line} line @param {(name: string) => string} colour */
function series(line, colour) {
  const told = (/** @type {any} */ _u, /** @type {number | null} */ v) => (v === null || v === undefined ? "–" : `${v.toFixed(line.digits ?? 1)}${line.unit ? ` ${line.unit}` : ""}`);
  const bars = line.bars ? { paths: uPlot.paths.bars({ size: [0.7, 60] }) } : line.steps ? { paths: uPlot.paths.stepped({ align: 1 }) } : {};
  return { label: line.label, stroke: colour(line.colour), width: line.width ?? 1.5, spanGaps: Boolean(line.points), points: { show: Boolean(line.points), size: 5 }, value: told, ...(line.fill ? { fill: colour(line.fill) } : {}), ...(line.dash ? { dash: line.dash } : {}), ...bars };
}

/** @param {number} value */
const short = (value) => String(Number(value.toPrecision(3)));
