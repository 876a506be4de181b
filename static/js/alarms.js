/** The alarms that stand and those that ended last; asked for again whenever one begins, changes or ends. */

import { Caller, offerCalls } from "./alarm_call.js";
import { AlarmDetail } from "./alarm_detail.js";
import { alarmLine, stands } from "./alarm_line.js";
import { ask } from "./ask.js";
import { byId, element, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { dayAndTime, plural } from "./format.js";
import { showFreshness } from "./header.js";

/** @typedef {import("./alarm_line.js").Alarm} Alarm */
/** @typedef {{view: string, name: string, channel: string}} Lacking an alarm of a view names a channel that is not there */

const GATHER = 150;
const REST = 1000; // milliseconds between two looks, however much changes
const RANKS = ["critical", "high", "medium", "low"];
const feed = new Feed();
const detail = new AlarmDetail(/** @type {HTMLDialogElement} */ (byId("why")), act);
const lineOf = (/** @type {Alarm} */ alarm) => alarmLine(alarm, act, detail);
const caller = new Caller();
let due = 0;
let looked = 0;
let isPressed = false;

async function look() {
  looked = performance.now();
  const said = await ask("/api/alarms?ended=50").catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  setText(byId("problem"), said.problem ?? "");
  if (!said.problem) show(said);
  document.documentElement.dataset.ready = "true";
}

/** @param {{alarms: Alarm[], untold: any[], lacking: Lacking[]}} said */
function show({ alarms, untold, lacking }) {
  const lasting = alarms.filter(stands);
  const standing = lasting.filter((alarm) => !alarm.shelved).sort((a, b) => rank(a) - rank(b));
  const shelved = lasting.filter((alarm) => alarm.shelved);
  const ended = alarms.filter((alarm) => !lasting.includes(alarm));
  const focused = document.activeElement?.id ?? "";
  byId("standing").replaceChildren(...standing.map(lineOf));
  byId("shelved").replaceChildren(...shelved.map(lineOf));
  byId("ended").replaceChildren(...ended.map(lineOf));
  if (focused) document.getElementById(focused)?.focus();
  const unknown = standing.filter((alarm) => alarm.acknowledged === null).length;
  setText(byId("standing-count"), standing.length ? `${plural(standing.length, "alarm")}, ${unknown || "none"} not acknowledged` : "");
  byId("shelved-part").hidden = shelved.length === 0;
  byId("nothing").hidden = standing.length > 0;
  byId("none-ended").hidden = ended.length > 0;
  byId("untold").replaceChildren(...untold.map(untoldLine));
  byId("untold-part").hidden = untold.length === 0;
  byId("lacking").replaceChildren(...lacking.map(lackingLine));
  byId("lacking-part").hidden = lacking.length === 0;
  caller.hear(alarms);
  detail.openNamed();
}

/** What nobody knows of first, then by severity; the newest first, as they come. @param {Alarm} alarm */
const rank = (alarm) => (alarm.acknowledged === null ? 0 : RANKS.length) + RANKS.indexOf(alarm.severity);

/** @param {{alarm: number, channel: string, what: string, made: number, due: number | null, tries: number, problem: string}} notice */
function untoldLine({ alarm, channel, what, made, due, tries, problem }) {
  const next = due === null ? "given up" : `tried ${plural(tries, "time")}, again at ${dayAndTime(due)}`;
  return element("li", {}, element("strong", {}, `${channel}: alarm ${alarm} ${what}`), element("time", {}, dayAndTime(made)), element("span", { class: "values" }, `${problem} · ${next}`));
}

/** @param {Lacking} lacking */
const lackingLine = ({ view, name, channel }) => element("li", {}, element("strong", {}, channel), element("span", { class: "values" }, `named by ${name ? `the alarm ${name}` : "the alarm"} of ${view}`));

/** @param {string} path @param {any} [body] */
async function act(path, body = {}) {
  const how = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const said = await ask(path, how).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  await look();
  setText(byId("problem"), said.problem ?? "");
  return said.problem ?? "";
}

/** Look soon, and not while a button is pressed: it would be another one when it is let go. */
function later() {
  due ||= setTimeout(() => {
    due = 0;
    if (isPressed) later();
    else look();
  }, Math.max(GATHER, looked + REST - performance.now()));
}

feed.addEventListener("alarm", later);
addEventListener("pointerdown", () => (isPressed = true));
for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => (isPressed = false));
feed.addEventListener("again", look);
addEventListener("hashchange", look);
offerCalls(/** @type {HTMLInputElement} */ (byId("sound")), /** @type {HTMLInputElement} */ (byId("notices")), byId("problem"));
showFreshness(feed, "page");
feed.start();
await look();
