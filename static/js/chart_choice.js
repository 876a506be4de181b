/**
 * What of an answer a chart shows: chosen for the reader, who may choose otherwise.
 *
 *     a column of moments and one of figures     a line over time, one for each of a few texts
 *     a column of texts                          bars, a text each
 *     neither                                    a line of what is there while it is watched
 */

import { differing, figureColumn, foldOf, ROWS } from "./answer_values.js";
import { kindOf } from "./console_table.js";

/** @typedef {import("./answer_values.js").Column} Column */
/** @typedef {import("./answer_values.js").Held} Held */
/** @typedef {{shape: "line" | "bars", x: number, y: number, series: number, fold: import("./answer_values.js").Fold}} Choice */

export const WATCHED = -1; // in place of a column: the time that the answer is watched
export const NONE = -1; // no column parts the lines
const FEW = 8; // texts that part a line
const MANY = 40; // texts that bars stand for
const LOOKED = 1000; // rows

/** @param {Column[]} columns @param {Held[]} held @returns {Choice} */
export function chosen(columns, held) {
  const rows = held.slice(0, LOOKED);
  const of = (/** @type {string} */ kind) => columns.flatMap(({ type }, at) => (kindOf(type) === kind ? [at] : []));
  const [moments, texts] = [of("moment"), of("text")];
  const y = figureColumn(columns);
  if (moments.length && y !== ROWS) return { shape: "line", x: moments[0], y, series: parting(rows, texts), fold: "mean" };
  if (texts.length && held.length !== 1) return { shape: "bars", x: category(rows, texts), y, series: NONE, fold: foldOf(columns, y) };
  return { shape: "line", x: WATCHED, y, series: NONE, fold: foldOf(columns, y) };
}

/** Whether a chart by a column is of bars, where nothing else is said. @param {Column[]} columns @param {number} x */
export const isBarred = (columns, x) => x !== WATCHED && kindOf(columns[x].type) === "text";

/** @param {Held[]} rows @param {number[]} texts */
function parting(rows, texts) {
  return texts.find((column) => differing(rows, column, FEW + 1) > 1 && differing(rows, column, FEW + 1) <= FEW) ?? NONE;
}

/** The column that tells rows apart best, as long as bars can be seen. @param {Held[]} rows @param {number[]} texts */
function category(rows, texts) {
  const sizes = texts.map((column) => ({ column, size: differing(rows, column, MANY + 1) }));
  const seen = sizes.filter(({ size }) => size <= MANY);
  const from = seen.length ? seen : sizes;
  return from.reduce((best, each) => (each.size > best.size ? each : best)).column;
}
