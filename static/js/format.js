/** Numbers and times as people read them. */

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** @param {number} at microseconds since the epoch */
export const clockTime = (at) => clock.format(new Date(at / 1000));

/** @param {unknown} moment ISO 8601, or microseconds since the epoch */
export function hourAndMinute(moment) {
  const date = new Date(typeof moment === "number" ? moment / 1000 : String(moment));
  return Number.isNaN(date.valueOf()) ? String(moment) : hours.format(date);
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** @param {number} at microseconds since the epoch */
export const dayAndTime = (at) => days.format(new Date(at / 1000));

/** Any value of a view, as text. @param {unknown} value @param {string} type @returns {string} */
export function valueText(value, type) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((part) => valueText(part, "")).join(", ");
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  if (type.toUpperCase() === "TIMESTAMP") return dayAndTime(Date.parse(String(value)) * 1000);
  return String(value);
}

/** @param {unknown} value @param {string} unit @param {number} [digits] */
export function amount(value, unit, digits = 0) {
  return typeof value === "number" ? `${value.toFixed(digits)} ${unit}` : "–";
}

/** @param {unknown} watts */
export function power(watts) {
  if (typeof watts !== "number") return "–";
  return Math.abs(watts) >= 1000 ? `${(watts / 1000).toFixed(1)} kW` : `${watts.toFixed(0)} W`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const DAY = 86_400_000_000;
const AGES = /** @type {const} */ ([
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
]);

/** A moment: its time, and its day where that is another. @param {number} at @param {number} now both in microseconds */
export function momentWords(at, now) {
  const isToday = now - at < DAY && new Date(at / 1000).getDate() === new Date(now / 1000).getDate();
  return isToday ? clockTime(at) : weekday.format(new Date(at / 1000));
}

/** How long ago a moment was, in its largest unit. @param {number} at @param {number} now both in microseconds */
export function agoWords(at, now) {
  const seconds = Math.max(0, Math.round((now - at) / 1_000_000));
  const [size, unit] = AGES.find(([size]) => seconds >= size) ?? AGES[AGES.length - 1];
  return `${plural(Math.floor(seconds / size), unit)} ago`;
}
