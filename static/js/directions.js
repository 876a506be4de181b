/** The way in words: to which machine, how far, and by which floors; for whoever reads rather than looks. */

import { byId, element, setText } from "./dom.js";
import { directionsOf } from "./route.js";

/** @param {import("./way.js").Way} way @param {(desk: string) => void} select */
export function showDirections(way, select) {
  const { building } = way.state;
  const goal = byId("way-goal");
  const paint = () => {
    const { route, desk } = way;
    const machine = building.machines.get(route?.machine ?? "")?.name ?? route?.machine ?? "";
    const room = building.rooms.get(desk?.room ?? "");
    byId("way").hidden = !way.isKnown;
    setText(byId("way-from"), `From ${way.from}`);
    byId("way-kiosk").hidden = way.room === "";
    setText(goal, machine);
    goal.hidden = !route;
    setText(byId("way-words"), route ? summary(route, room) : none(way));
    const steps = route ? directionsOf(route, desk ? `desk ${desk.id}` : machine) : [];
    showSteps(byId("way-steps"), steps.length > 1 ? steps : []);
  };
  goal.addEventListener("click", () => select(way.desk?.id ?? ""));
  byId("way-kiosk").addEventListener("click", () => way.startFrom(""));
  way.onChange(paint);
  paint();
}

/** @param {import("./route.js").Route} route @param {import("./building.js").Room | undefined} room */
function summary(route, room) {
  const where = room ? ` · ${room.name}, ${room.id}, floor ${room.floor}` : "";
  return `${Math.round(route.metres)} m${where}`;
}

/** @param {import("./way.js").Way} way */
function none(way) {
  return way.state.nearest.size ? "Every way to a free machine is closed." : "No machine is free.";
}

/** @param {HTMLElement} where @param {string[]} steps */
function showSteps(where, steps) {
  if ([...where.children].map((item) => item.textContent).join("\n") === steps.join("\n")) return;
  where.replaceChildren(...steps.map((step) => element("li", {}, step)));
}
