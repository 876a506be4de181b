/** How many alarms stand, and how many devices have no room, beside the building's name. For operators. */

import { setText } from "./dom.js";
import { plural } from "./format.js";

const GATHER = 150;

/** @param {import("./feed.js").Feed} feed @param {HTMLElement} where */
export function showAlarms(feed, where) {
  let due = 0;

  async function look() {
    const answer = await fetch("/api/alarms?ended=0");
    if (!answer.ok) return;
    const count = (await answer.json()).alarms.length;
    setText(where, count ? plural(count, "alarm") : "No alarms");
    where.dataset.some = String(count > 0);
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
