/**
 * What colours a value has on the plan: figures in classes between round limits, texts each its own.
 *
 *     figures  →  limits  →  the class of each        texts  →  the commonest few, and others
 */

import { figureText } from "./answer_values.js";

/** @typedef {{kind: "figures" | "texts", classes: string[], of: (value: any) => number | null}} Scale null: no value */

const CLASSES = 5;
const TEXTS = 7;

/** @param {any[]} values of places @param {boolean} areFigures @returns {Scale} */
export function scaleOf(values, areFigures) {
  const known = values.filter((value) => value !== null);
  return areFigures ? figures(known) : texts(known.map(String));
}

/** @param {number[]} values @returns {Scale} */
function figures(values) {
  if (!values.length) return { kind: "figures", classes: [], of: () => null };
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  if (least === most) return { kind: "figures", classes: [figureText(least)], of: (value) => (value === null ? null : 0) };
  const limits = limitsBetween(least, most, values.every(Number.isInteger));
  const between = limits.slice(1).map((limit, nth) => `${figureText(limits[nth])} – ${figureText(limit)}`);
  const classes = [`under ${figureText(limits[0])}`, ...between, `${figureText(limits[limits.length - 1])} and more`];
  return { kind: "figures", classes, of: (value) => (value === null ? null : limits.filter((limit) => value >= limit).length) };
}

/** Round figures that part a stretch into a few. @param {number} least @param {number} most @param {boolean} areWhole */
function limitsBetween(least, most, areWhole) {
  const rough = (most - least) / CLASSES;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 5, 10].find((each) => each * magnitude >= rough) ?? 10) * magnitude;
  const step = areWhole ? Math.max(1, round) : round;
  const first = Math.floor(least / step) + 1;
  const limits = Array.from({ length: CLASSES - 1 }, (_, nth) => Number(((first + nth) * step).toPrecision(12)));
  return limits.filter((limit, nth) => nth === 0 || limit <= most);
}

/** @param {string[]} values @returns {Scale} */
function texts(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const common = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, TEXTS).map(([value]) => value);
  const own = common.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const others = counts.size - own.length;
  const classes = others ? [...own, `${others} others`] : own;
  return { kind: "texts", classes, of: (value) => (value === null ? null : own.includes(String(value)) ? own.indexOf(String(value)) : own.length) };
}
