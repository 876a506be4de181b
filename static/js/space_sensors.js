/** Sensors that have said the same for too long. */

import { byId, element, setText } from "./dom.js";
import { dayAndTime, plural } from "./format.js";

/** @typedef {{sensor: string, name: string, room: string, room_name: string, says: string, since: number, hours: number, why: string}} Stuck */

export class SpaceSensors {
  /** @param {{sensors: Stuck[], unknown: string[]}} found */
  show(found) {
    const { sensors, unknown } = found;
    byId("stuck").replaceChildren(...sensors.map((each) => element("li", { "data-sensor": each.sensor }, element("strong", {}, `${each.name} ${each.sensor === each.room ? "" : each.sensor}`.trim()), element("span", {}, stuckText(each)), element("small", {}, `${each.room} ${each.room_name} · ${each.why}`))));
    setText(byId("stuck-count"), sensors.length ? plural(sensors.length, "sensor") : "none");
    byId("no-stuck").hidden = sensors.length > 0 || unknown.length > 0;
    setText(byId("unjudged"), unknown.length ? `Not judged: ${unknown.join("; ")}` : "");
  }
}

/** @param {Stuck} each */
export const stuckText = (each) => `${each.says} for ${each.hours < 48 ? `${each.hours.toFixed(0)} h` : `${Math.floor(each.hours / 24)} days`}, since ${dayAndTime(each.since)} or before`;
