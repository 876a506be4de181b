/**
 * What the values of an answer are good for: which columns are figures, which moments, and how several values
 * that fall on one place of a chart or a plan become one.
 *
 *     rows → their value, as often as the row is there → a heap → sum, mean, largest or smallest
 */

import { kindOf } from "./console_table.js";

/** @typedef {{name: string, type: string}} Column */
/** @typedef {{cells: any[], count: number}} Held a row, as often as it is there */
/** @typedef {{sum: number, weight: number, least: number, most: number}} Heap */
/** @typedef {"sum" | "mean" | "most" | "least"} Fold */

export const ROWS = -1; // in place of a column: how many rows there are
export const FOLDS = /** @type {const} */ ([["sum", "their sum"], ["mean", "their mean"], ["most", "the largest"], ["least", "the smallest"]]);

/** A value as a figure, a moment in microseconds; null where it is none. @param {any} value @param {string} type @returns {number | null} */
export function figureOf(value, type) {
  if (value === null || value === undefined) return null;
  const figure = kindOf(type) === "moment" ? Date.parse(String(value)) * 1000 : typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : kindOf(type) === "number" ? Number(value) : NaN;
  return Number.isFinite(figure) ? figure : null;
}

/** What a row gives: the figure of its column, or one for each row. @param {any[]} cells @param {Column[]} columns @param {number} column */
export const givenBy = (cells, columns, column) => (column === ROWS ? 1 : figureOf(cells[column], columns[column].type));

/** @returns {Heap} */
export const heap = () => ({ sum: 0, weight: 0, least: Infinity, most: -Infinity });

/** @param {Heap} onto @param {number} figure @param {number} times */
export function put(onto, figure, times) {
  onto.sum += figure * times;
  onto.weight += times;
  onto.least = Math.min(onto.least, figure);
  onto.most = Math.max(onto.most, figure);
}

/** @param {Heap | undefined} of @param {Fold} fold @returns {number | null} nothing of an empty heap */
export function folded(of, fold) {
  if (!of || !of.weight) return null;
  return fold === "mean" ? of.sum / of.weight : fold === "most" ? of.most : fold === "least" ? of.least : of.sum;
}

/** The column of figures that says most: one that was measured before one that counts, the last before the first. @param {Column[]} columns @param {number[]} but columns that are taken */
export function figureColumn(columns, but = []) {
  const free = columns.map(({ type }, at) => ({ type: type.toUpperCase(), at })).filter(({ at }) => !but.includes(at));
  const measured = free.find(({ type }) => type === "DOUBLE");
  return measured?.at ?? free.findLast(({ type }) => type === "BIGINT")?.at ?? ROWS;
}

/** What was measured has a mean, what counts a sum. @param {Column[]} columns @param {number} y @returns {Fold} */
export const foldOf = (columns, y) => (y !== ROWS && columns[y].type.toUpperCase() === "DOUBLE" ? "mean" : "sum");

/** How many different values a column has, up to a few. @param {Held[]} rows @param {number} column @param {number} enough */
export function differing(rows, column, enough) {
  const seen = new Set();
  for (const { cells } of rows) {
    seen.add(cells[column]);
    if (seen.size >= enough) break;
  }
  return seen.size;
}

/** A figure in words, not longer than it is exact. @param {number | null} figure */
export const figureText = (figure) => (figure === null ? "–" : Number.isInteger(figure) ? figure.toLocaleString("en-GB") : Number(figure.toPrecision(4)).toLocaleString("en-GB", { maximumFractionDigits: 6 }));
