/** The alarms that stand and those that ended last; asked for again whenever one begins or ends. */

import { byId, element, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { clockTime, dayAndTime, plural, valueText } from "./format.js";
import { showFreshness } from "./header.js";

/** @typedef {{id: number, view: string, name: string, row: Record<string, any>, since: number, until: number | null}} Alarm */

const GATHER = 150;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/; // as the server writes one; a kept row has no types
const feed = new Feed();
let due = 0;

async function look() {
  const answer = await fetch("/api/alarms?ended=50");
  if (!answer.ok) return;
  /** @type {Alarm[]} */
  const alarms = (await answer.json()).alarms;
  const standing = alarms.filter((alarm) => alarm.until === null);
  const ended = alarms.filter((alarm) => alarm.until !== null);
  byId("standing").replaceChildren(...standing.map(line));
  byId("ended").replaceChildren(...ended.map(line));
  setText(byId("standing-count"), standing.length ? plural(standing.length, "alarm") : "");
  byId("nothing").hidden = standing.length > 0;
  byId("none-ended").hidden = ended.length > 0;
  document.documentElement.dataset.ready = "true";
}

/** @param {Alarm} alarm */
function line(alarm) {
  const until = alarm.until === null ? "" : ` to ${clockTime(alarm.until)}`;
  const values = Object.entries(alarm.row).map(([name, value]) => `${name} ${valueText(value, MOMENT.test(String(value)) ? "timestamp" : "")}`);
  return element(
    "li",
    {},
    element("strong", {}, alarm.name || alarm.view.replaceAll("_", " ")),
    element("time", {}, `${dayAndTime(alarm.since)}${until}`),
    element("span", { class: "values" }, values.join(" · ")),
  );
}

feed.addEventListener("alarm", () => {
  clearTimeout(due);
  due = setTimeout(look, GATHER);
});
feed.addEventListener("again", look);
showFreshness(feed, "page");
feed.start();
await look();
