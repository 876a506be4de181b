/** One alarm as a line: how bad, what, since when, who knows; and what may be done with it. */

import { element } from "./dom.js";
import { clockTime, dayAndTime, valueText } from "./format.js";

/** @typedef {{until: number, by: string, reason: string}} Shelf */
/**
 * @typedef {{id: number, view: string, name: string, row: Record<string, any>, since: number, until: number | null,
 *   severity: string, flaps: boolean, acknowledged: number | null, acknowledged_by: string | null, note: string | null,
 *   cleared: number | null, cleared_by: string | null, escalated: number | null, shelved: Shelf | null, has_why: boolean}} Alarm
 */

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/; // as the server writes one; a kept row has no types
export const stands = (/** @type {Alarm} */ alarm) => alarm.until === null && alarm.cleared === null;

export const alarmName = (/** @type {Alarm} */ alarm) => alarm.name || alarm.view.replaceAll("_", " ");

export const rowWords = (/** @type {Record<string, any>} */ row) =>
  Object.entries(row).map(([name, value]) => `${name} ${valueText(value, MOMENT.test(String(value)) ? "timestamp" : "")}`).join(" · ");

/**
 * @param {Alarm} alarm
 * @param {(path: string, body?: any) => void} act
 * @param {import("./alarm_detail.js").AlarmDetail} detail
 */
export function alarmLine(alarm, act, detail) {
  const over = alarm.until ?? alarm.cleared;
  const called = `${alarmName(alarm)}, ${rowWords(alarm.row)}`;
  return element(
    "li",
    { "data-severity": alarm.severity, "data-known": String(alarm.acknowledged !== null) },
    element("strong", {}, element("span", { class: "severity" }, alarm.severity), " ", alarmName(alarm)),
    element("time", {}, `${dayAndTime(alarm.since)}${over === null ? "" : ` to ${clockTime(over)}`}`),
    element("span", { class: "values" }, rowWords(alarm.row)),
    element("span", { class: "alarm-told" }, toldOf(alarm)),
    element("span", { class: "alarm-acts" }, ...actsOn(alarm, called, act), button(alarm, "more", `More of ${called}`, stands(alarm) ? "Why, note, shelve …" : "Why, and who was told", () => detail.open(alarm.id))),
  );
}

/** @param {Alarm} alarm */
function toldOf({ acknowledged, acknowledged_by, note, cleared, cleared_by, escalated, flaps, shelved }) {
  return [
    acknowledged === null ? "" : `acknowledged by ${acknowledged_by} ${dayAndTime(acknowledged)}`,
    note ? `“${note}”` : "",
    escalated === null ? "" : `escalated ${dayAndTime(escalated)}`,
    flaps ? "comes and goes" : "",
    cleared === null ? "" : `cleared by ${cleared_by}`,
    shelved ? `on the shelf until ${dayAndTime(shelved.until)}, by ${shelved.by}${shelved.reason ? `: ${shelved.reason}` : ""}` : "",
  ].filter(Boolean).join(" · ");
}

/** @param {Alarm} alarm @param {string} called @param {(path: string, body?: any) => void} act */
function actsOn(alarm, called, act) {
  const path = `/api/alarms/${alarm.id}`;
  if (!stands(alarm)) return [];
  return [
    ...(alarm.acknowledged === null ? [button(alarm, "known", `Acknowledge ${called}`, "Acknowledge", () => act(`${path}/acknowledge`))] : []),
    ...(alarm.shelved ? [button(alarm, "shelf", `Take ${called} off the shelf`, "Off the shelf", () => act(`${path}/unshelve`))] : []),
  ];
}

/** @param {Alarm} alarm @param {string} which @param {string} label @param {string} text @param {() => void} click */
const button = (alarm, which, label, text, click) => element("button", { id: `${which}-${alarm.id}`, type: "button", class: "link", "aria-label": label, click }, text);
