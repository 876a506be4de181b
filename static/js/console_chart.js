/**
 * An answer as a chart: a line over a column or over the time that it is watched, or bars; what of it is drawn is
 * chosen for the reader, who may pick otherwise. The figures stand in a table below, for whoever does not see the lines.
 */

import { FOLDS, figureText, foldOf, ROWS } from "./answer_values.js";
import { BarList } from "./bar_list.js";
import { chosen, isBarred, NONE, WATCHED } from "./chart_choice.js";
import { barsOf, linesOf } from "./chart_points.js";
import { columnOptions, Picks } from "./console_picks.js";
import { kindOf } from "./console_table.js";
import { Course } from "./course.js";
import { element, oncePerFrame, setText } from "./dom.js";
import { momentWords, plural } from "./format.js";
import { Plot } from "./plot.js";

/** @typedef {import("./answer_values.js").Held} Held */
/** @typedef {import("./chart_choice.js").Choice} Choice */

const HEIGHT = 300;
const BOXES = /** @type {const} */ ([["shape", "Draw"], ["x", "over"], ["y", "of"], ["series", "a line for each"], ["fold", "several rows are"]]);
const SHAPES = /** @type {import("./console_picks.js").Option[]} */ ([["line", "a line"], ["bars", "bars"]]);
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]]; // beside the colour, so that lines differ without it
const COLOURS = 8;
const NEAR = 60; // points of which each is marked
const BREATH = 1000; // milliseconds until a line goes on though nothing changed

export class AnswerChart {
  /** @param {HTMLElement} where @param {import("./console_rows.js").Rows} rows */
  constructor(where, rows) {
    this.where = where;
    this.rows = rows;
    this.course = new Course();
    /** @type {import("./answer_values.js").Column[]} */
    this.columns = [];
    /** @type {Choice | null} */
    this.choice = null;
    this.isPicked = false;
    this.more = 0;
    const picks = element("div", { class: "picks", role: "group", "aria-label": "What the chart shows" });
    this.picks = new Picks(picks, BOXES, (name, value) => this.#pick(name, value));
    this.words = element("p", { class: "chart-words", id: "answer-chart-words" });
    this.canvas = element("div", { class: "chart", role: "img", "aria-labelledby": "answer-chart-words" });
    this.bars = element("div", { class: "table-frame bars-frame", tabindex: "0", role: "region", "aria-labelledby": "answer-chart-words" });
    this.figures = element("div", { class: "table-frame figures", tabindex: "0", role: "region", "aria-label": "The lines in figures" });
    where.replaceChildren(picks, this.words, this.canvas, this.bars, this.figures);
    this.plot = new Plot(this.canvas, HEIGHT, []);
    this.list = new BarList(this.bars);
    this.paint = oncePerFrame(() => this.#paint());
    setInterval(() => this.choice?.x === WATCHED && this.isLive && this.paint(), BREATH);
  }

  isLive = false;

  /** An answer begins, or begins anew. @param {import("./answer_values.js").Column[]} columns @param {any[][]} rows @param {boolean} isOther whether it is one to another query */
  begin(columns, rows, isOther) {
    this.columns = columns;
    if (isOther) this.isPicked = false;
    if (isOther || !this.choice) this.choice = null;
    this.course.begin(rows, Date.now() * 1000);
    this.paint();
  }

  /** @param {[number, any[]][]} changes */
  change(changes) {
    this.course.add(changes, Date.now() * 1000);
    this.paint();
  }

  #pick(/** @type {string} */ name, /** @type {string} */ value) {
    if (!this.choice) return;
    const choice = { ...this.choice, [name]: ["x", "y", "series"].includes(name) ? Number(value) : value };
    if (name === "x") choice.shape = isBarred(this.columns, choice.x) ? "bars" : "line";
    if (name === "y") choice.fold = foldOf(this.columns, choice.y);
    if (choice.x === WATCHED || (name === "shape" && choice.shape === "line" && isBarred(this.columns, choice.x))) choice.shape = "line";
    if (choice.shape === "line" && isBarred(this.columns, choice.x)) choice.x = WATCHED;
    this.choice = choice;
    this.isPicked = true;
    this.paint();
  }

  #paint() {
    if (this.where.hidden || !this.columns.length) return;
    const held = this.rows.shown.filter(({ count }) => count > 0);
    if (!this.choice || (!this.isPicked && this.wasEmpty)) this.choice = chosen(this.columns, held);
    this.wasEmpty = held.length === 0;
    this.#offer(this.choice);
    const isBars = this.choice.shape === "bars";
    this.canvas.hidden = this.figures.hidden = isBars;
    this.bars.hidden = !isBars;
    if (isBars) this.#drawBars(held, this.choice);
    else this.#drawLines(held, this.choice);
  }

  #drawBars(/** @type {Held[]} */ held, /** @type {Choice} */ choice) {
    const { bars, left, isFolded } = barsOf(held, this.columns, choice);
    const called = this.#called(choice, isFolded);
    this.list.show(this.columns[choice.x].name, called, bars);
    this.#say(`${plural(bars.length, "bar")}: ${called} by ${this.columns[choice.x].name}.`, left);
  }

  #drawLines(/** @type {Held[]} */ held, /** @type {Choice} */ choice) {
    const isWatched = choice.x === WATCHED;
    const { at, series, left, isFolded } = isWatched ? this.course.lines(this.columns, choice, this.isLive ? Date.now() * 1000 : 0) : linesOf(held, this.columns, choice);
    const isTime = isWatched || kindOf(this.columns[choice.x].type) === "moment";
    const called = this.#called(choice, isFolded);
    const lines = series.map(({ name }, nth) => ({ label: name || called, colour: `--series-${nth % COLOURS}`, dash: DASHES[nth % DASHES.length], digits: 3, width: 2, steps: isWatched, points: !isWatched && at.length <= NEAR }));
    this.plot.draw(lines, { isPlain: !isTime, isClose: choice.y !== ROWS });
    if (series.length) this.plot.show(at, ...series.map(({ values }) => values));
    else this.plot.clear();
    const told = (/** @type {number | undefined} */ moment) => (moment === undefined ? "–" : isTime ? momentWords(moment, Date.now() * 1000) : figureText(moment));
    const over = isWatched ? "while it is watched" : `over ${this.columns[choice.x].name}`;
    this.#say(series.length ? `${plural(series.length, "line")}: ${called} ${over}, from ${told(at[0])} to ${told(at[at.length - 1])}.` : `No row has a figure to draw ${over}.`, left);
    this.figures.replaceChildren(figures(series, lines));
  }

  /** What is drawn, in words. */
  #called(/** @type {Choice} */ { y, fold }, /** @type {boolean} */ isFolded) {
    if (y === ROWS) return "number of rows";
    if (!isFolded) return this.columns[y].name;
    const folds = { sum: "sum of ", mean: "mean ", most: "largest ", least: "smallest " };
    return `${folds[fold]}${this.columns[y].name}`;
  }

  #say(/** @type {string} */ words, /** @type {string[]} */ left) {
    const rows = this.more ? [`${this.more.toLocaleString("en-GB")} rows that are not sent`] : [];
    const without = [...left, ...rows];
    setText(this.words, `${words}${without.length ? ` Left out: ${without.join("; ")}.` : ""}`);
  }

  #offer(/** @type {Choice} */ choice) {
    const kinds = this.columns.map(({ type }) => kindOf(type));
    this.picks.offer("shape", SHAPES, choice.shape);
    this.picks.offer("x", [[String(WATCHED), "the time it is watched"], ...columnOptions(this.columns)], String(choice.x));
    this.picks.offer("y", [[String(ROWS), "the number of rows"], ...columnOptions(this.columns, (at) => kinds[at] === "number" || this.columns[at].type.toUpperCase() === "BOOLEAN")], String(choice.y));
    this.picks.offer("series", [[String(NONE), "one line"], ...columnOptions(this.columns, (at) => at !== choice.x && kinds[at] !== "moment")], String(choice.series), choice.shape === "line");
    this.picks.offer("fold", FOLDS.map(([id, text]) => [id, text]), choice.fold, choice.y !== ROWS);
  }
}

/** @param {import("./chart_points.js").Series[]} series @param {{label: string}[]} lines */
function figures(series, lines) {
  const rows = series.map(({ values }, nth) => {
    const known = values.filter((value) => value !== null);
    const cells = [known.at(-1) ?? null, ...(known.length ? [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))] : [null, null])];
    return element("tr", {}, element("th", { scope: "row" }, element("span", { class: "key-line", "data-series": String(nth % COLOURS) }), lines[nth].label), ...cells.map((value) => element("td", { class: "number" }, figureText(value))));
  });
  return element("table", {}, element("thead", {}, element("tr", {}, ...["Line", "Last", "Smallest", "Largest"].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, ...rows));
}
