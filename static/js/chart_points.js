/**
 * Rows as the points of a chart: so many at most, and in words what is left out.
 *
 *     line    x → a figure for each series        the last so many x; the first so many series
 *     bars    a text → a figure                   the first so many in the table's order
 */

import { figureOf, folded, givenBy, heap, put } from "./answer_values.js";
import { NONE } from "./chart_choice.js";
import { valueText } from "./format.js";

/** @typedef {import("./answer_values.js").Column} Column */
/** @typedef {import("./answer_values.js").Held} Held */
/** @typedef {import("./chart_choice.js").Choice} Choice */
/** @typedef {{name: string, values: (number | null)[]}} Series */
/** @typedef {{at: number[], series: Series[], left: string[], isFolded: boolean}} Lines folded: several rows made one point */
/** @typedef {{bars: {name: string, value: number | null}[], left: string[], isFolded: boolean}} Bars */

const POINTS = 2000;
const SERIES = 8;
const BARS = 40;

/** @param {Held[]} rows @param {Column[]} columns @param {Choice} choice @returns {Lines} */
export function linesOf(rows, columns, choice) {
  /** @type {Map<number, Map<string, import("./answer_values.js").Heap>>} */
  const heaps = new Map();
  let without = 0;
  for (const { cells, count } of rows) {
    const at = figureOf(cells[choice.x], columns[choice.x].type);
    const figure = givenBy(cells, columns, choice.y);
    if (at === null || figure === null) without += count;
    else put(within(within(heaps, at, () => new Map()), seriesOf(cells, columns, choice), heap), figure, count);
  }
  const all = [...heaps.keys()].sort((a, b) => a - b);
  const at = all.slice(-POINTS);
  const samples = at.map((each) => foldedAll(heaps.get(each) ?? new Map(), choice));
  const { series, left } = seriesIn(samples);
  const isFolded = [...heaps.values()].some((by) => [...by.values()].some(isHeaped));
  return { at, series, isFolded, left: [...left, ...said(all.length - at.length, "earlier point"), ...said(without, "row without a figure", "rows without a figure")] };
}

/** What rows give at one moment, by series. @param {Iterable<Held>} rows @param {Column[]} columns @param {Choice} choice @returns {Map<string, number | null>} */
export function sampleOf(rows, columns, choice) {
  const heaps = new Map();
  for (const { cells, count } of rows) {
    const figure = givenBy(cells, columns, choice.y);
    if (figure !== null && count > 0) put(within(heaps, seriesOf(cells, columns, choice), heap), figure, count);
  }
  return foldedAll(heaps, choice);
}

/** Samples one after the other as series; those that come first, where there are too many. @param {Map<string, number | null>[]} samples @returns {{series: Series[], left: string[]}} */
export function seriesIn(samples) {
  const names = [...new Set(samples.flatMap((sample) => [...sample.keys()]))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const series = names.slice(0, SERIES).map((name) => ({ name, values: samples.map((sample) => sample.get(name) ?? null) }));
  return { series, left: said(names.length - series.length, "more line") };
}

/** @param {Held[]} rows @param {Column[]} columns @param {Choice} choice @returns {Bars} */
export function barsOf(rows, columns, choice) {
  const heaps = new Map();
  for (const { cells, count } of rows) {
    const of = within(heaps, valueText(cells[choice.x], columns[choice.x].type), heap);
    const figure = givenBy(cells, columns, choice.y);
    if (figure !== null) put(of, figure, count);
  }
  const bars = [...heaps].slice(0, BARS).map(([name, of]) => ({ name, value: folded(of, choice.fold) }));
  return { bars, isFolded: [...heaps.values()].some(isHeaped), left: said(heaps.size - bars.length, "more bar") };
}

/** @param {any[]} cells @param {Column[]} columns @param {Choice} choice */
const seriesOf = (cells, columns, { series }) => (series === NONE ? "" : valueText(cells[series], columns[series].type));

/** @param {Map<string, import("./answer_values.js").Heap>} heaps @param {Choice} choice */
const foldedAll = (heaps, { fold }) => new Map([...heaps].map(([name, of]) => [name, folded(of, fold)]));

/** @param {import("./answer_values.js").Heap} of */
const isHeaped = ({ weight }) => weight > 1;

/** @template K, V @param {Map<K, V>} map @param {K} key @param {() => V} make @returns {V} */
function within(map, key, make) {
  const there = map.get(key);
  if (there !== undefined) return there;
  const made = make();
  map.set(key, made);
  return made;
}

/** @param {number} count @param {string} one @param {string} [many] */
const said = (count, one, many = `${one}s`) => (count > 0 ? [`${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`] : []);
