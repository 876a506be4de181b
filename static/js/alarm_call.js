/** Calls for a person when an alarm comes that nobody knows of: by a sound, by a notice of the computer's. */

import { alarmName, stands } from "./alarm_line.js";
import { chime } from "./alarm_sound.js";
import { setText } from "./dom.js";

/** @typedef {import("./alarm_line.js").Alarm} Alarm */

const SOUND = "smartcis-alarm-sound";
const NOTICE = "smartcis-alarm-notice";
const WORST = ["critical", "high", "medium", "low"];
const BLOCKED = "This browser lets no page of this address give notices; its settings can change that.";
const UNSAFE = "Notices need https, or the computer that SmartCIS runs on.";

/** The worst first. @param {Alarm[]} alarms */
export const byBadness = (alarms) => [...alarms].sort((a, b) => WORST.indexOf(a.severity) - WORST.indexOf(b.severity));

/** What nobody acknowledged, of those that stand and are not shelved. @param {Alarm[]} alarms */
export const unknownOf = (alarms) => alarms.filter((alarm) => stands(alarm) && !alarm.shelved && alarm.acknowledged === null);

/** Knows which alarms a page has seen, and calls for the others; what was there at first is known. */
export class Caller {
  /** @type {Set<number> | null} */
  #seen = null;

  /** @param {Alarm[]} alarms */
  hear(alarms) {
    const [worst, ...others] = byBadness(unknownOf(alarms).filter(({ id }) => this.#seen && !this.#seen.has(id)));
    if (worst && isOn(SOUND)) chime(worst.severity);
    if (worst && isOn(NOTICE) && permission() === "granted") notice(worst, others.length);
    this.#seen = new Set(alarms.map(({ id }) => id));
  }
}

/** Have two boxes say what this computer does; choosing sound lets one hear it. @param {HTMLInputElement} sound @param {HTMLInputElement} notices @param {HTMLElement} problem */
export function offerCalls(sound, notices, problem) {
  sound.checked = isOn(SOUND);
  notices.checked = isOn(NOTICE) && permission() === "granted";
  sound.addEventListener("change", () => {
    keep(SOUND, sound.checked);
    if (sound.checked) chime("medium");
  });
  notices.addEventListener("change", async () => {
    const isAllowed = notices.checked && "Notification" in window && (await Notification.requestPermission()) === "granted";
    setText(problem, notices.checked && !isAllowed ? (window.isSecureContext ? BLOCKED : UNSAFE) : "");
    notices.checked = isAllowed;
    keep(NOTICE, isAllowed);
  });
}

/** @param {Alarm} alarm @param {number} others */
function notice(alarm, others) {
  const more = others ? ` · and ${others} more` : "";
  const shown = new Notification(`${alarm.severity}: ${alarmName(alarm)}`, { body: Object.values(alarm.row).join(" · ") + more, tag: `alarm-${alarm.id}` });
  shown.addEventListener("click", () => {
    window.focus();
    window.location.assign(`/alarms#${alarm.id}`);
  });
}

const permission = () => ("Notification" in window ? Notification.permission : "denied");

/** @param {string} key */
function isOn(key) {
  try {
    return localStorage.getItem(key) === "on";
  } catch {
    return false;
  }
}

/** @param {string} key @param {boolean} on */
function keep(key, on) {
  try {
    localStorage.setItem(key, on ? "on" : "off");
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}
