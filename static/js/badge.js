/** Which alarms stand, and how many devices have no room, beside the building's name. For operators. */

import { byBadness, Caller, unknownOf } from "./alarm_call.js";
import { alarmName, stands } from "./alarm_line.js";
import { setText } from "./dom.js";
import { plural } from "./format.js";

/** @typedef {import("./alarm_line.js").Alarm} Alarm */

const GATHER = 150;

/**
 * Count them, have their rooms marked, and call for one that is new and that nobody knows of.
 * @param {import("./feed.js").Feed} feed
 * @param {HTMLElement} where
 * @param {(rooms: Map<string, string>) => void} markRooms takes rooms, and the name of the worst alarm in each
 */
export function showAlarms(feed, where, markRooms) {
  const caller = new Caller();
  let due = 0;

  async function look() {
    const answer = await fetch("/api/alarms?ended=0");
    if (!answer.ok) return;
    /** @type {Alarm[]} */
    const alarms = (await answer.json()).alarms.filter((/** @type {Alarm} */ alarm) => stands(alarm) && !alarm.shelved);
    const unknown = unknownOf(alarms);
    setText(where, alarms.length ? plural(alarms.length, "alarm") : "No alarms");
    where.dataset.some = String(alarms.length > 0);
    where.dataset.unknown = String(unknown.length > 0);
    markRooms(new Map(byBadness(unknown).reverse().map((alarm) => [String(alarm.row.room ?? ""), alarmName(alarm)])));
    caller.hear(alarms);
  }

  function lookSoon() {
    clearTimeout(due);
    due = setTimeout(look, GATHER);
  }

  feed.addEventListener("alarm", lookSoon);
  feed.addEventListener("again", lookSoon);
}

/** How many devices wait to be told where they are. @param {import("./table.js").Table} known @param {HTMLElement} where */
export function showHomeless(known, where) {
  known.onChange(() => {
    const homeless = known.rows().filter((device) => !device.room && !device.disabled).length;
    setText(where, homeless ? `Devices · ${homeless}` : "Devices");
    where.title = homeless ? `${plural(homeless, "device")} without a room` : "";
  });
}
