/** What a device measured, as people read it: the value, how old it is, whether it is overdue. */

import { valueText } from "./format.js";

const SECOND = 1_000_000;
const STEPS = /** @type {const} */ ([
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
]);

/** @typedef {import("./table.js").Row} Row */

/** What is on or off says so in words; a number has its unit. @param {Row} row */
export function measured(row) {
  if (row.text !== null && row.text !== undefined) return String(row.text);
  if (row.value === null || row.value === undefined) return "–";
  const text = valueText(typeof row.value === "number" ? Number(row.value.toPrecision(5)) : row.value, "");
  return row.unit ? `${text} ${row.unit}` : text;
}

/** @param {Row} row @returns {number | null} microseconds since the epoch */
export function saidAt(row) {
  const at = row.at ? Date.parse(String(row.at)) * 1000 : NaN;
  return Number.isNaN(at) ? null : at;
}

/** How long ago a moment was; nothing before the feed said what time it is. @param {number | null} at @param {number} now both in microseconds */
export function age(at, now) {
  if (at === null) return "never";
  if (!now) return "";
  return now - at < SECOND ? "now" : `${duration(at, now)} ago`;
}

/** The time between two moments, in its largest unit. @param {number} from @param {number} to both in microseconds */
export function duration(from, to) {
  const seconds = Math.max(0, Math.floor((to - from) / SECOND));
  const [size, unit] = STEPS.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** Whether a value is older than its device promised. @param {Row} row @param {number} now in microseconds */
export function isOverdue(row, now) {
  const at = saidAt(row);
  return typeof row.expire_after === "number" && at !== null && now - at > row.expire_after * SECOND;
}

/** What a value is of, in words. @param {Row} row */
export const quantityOf = (row) => String(row.name || row.quantity || row.entity).replaceAll("_", " ");
