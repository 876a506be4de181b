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
