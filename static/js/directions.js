/** The way in words: to what, how far, turn by turn; for whoever reads rather than looks. */

import { byId, element, setText } from "./dom.js";
import { stepsOf } from "./turns.js";
import { calledOf } from "./wish.js";

/** @typedef {{select: (goal: import("./goal.js").Goal) => void, show: (floor: number, place: number[]) => void}} Go */

/** @param {import("./way.js").Way} way @param {Go} go */
export function showDirections(way, go) {
  let said = "";
  const paint = () => {
    const { route, goal } = way;
    byId("way").hidden = !way.isKnown;
    setText(byId("way-title"), titleOf(way));
    setText(byId("way-from"), `From ${way.from}`);
    byId("way-kiosk").hidden = way.room === "" && way.point === "";
    setText(byId("way-goal"), goal.name);
    byId("way-goal").hidden = !route;
    setText(byId("way-words"), route ? summary(way) : none(way));
    showNews(way.news);
    showSteps(route ? stepsOf(route, way.ground.building, { name: goal.sits, place: goal.place }) : [], way, go);
    const text = `${way.news} ${route ? `${goal.name}, ${summary(way)}` : none(way)}`.trim();
    const about = `${way.news}${goal.id}${way.start}${route === null}`;
    if (about !== said) setText(byId("way-said"), text);
    said = about;
  };
  byId("way-goal").addEventListener("click", () => go.select(way.goal));
  byId("way-kiosk").addEventListener("click", () => way.startFrom(""));
  way.onChange(paint);
  paint();
}

/** @param {import("./way.js").Way} way */
function titleOf({ wish, hold, ground }) {
  if (hold.id) return "Kept for you";
  const named = ground.building.rooms.get(wish.to)?.name ?? ground.building.machines.get(wish.to)?.name ?? wish.to;
  if (wish.kind === "to") return wish.to ? "The way to" : "Where to?";
  return `Nearest ${calledOf(wish, named)}`;
}

/** @param {import("./way.js").Way} way */
function summary(way) {
  const { room } = way.goal;
  const where = room ? ` · ${room.name}, ${room.id}, floor ${room.floor}` : "";
  return `${Math.round(way.route?.metres ?? 0)} m · ${minutes(way.seconds)}${where}`;
}

/** @param {number} seconds */
export const minutes = (seconds) => (seconds < 45 ? "under a minute" : `${Math.max(1, Math.round(seconds / 60))} min`);

/** @param {import("./way.js").Way} way */
function none(way) {
  const { view, wish, hold } = way;
  if (view.problem) return view.problem;
  if (hold.id) return "The way there is being found …";
  if (wish.kind === "to" && !wish.to) return "Name a room or a thing below, or touch a room on the plan.";
  if (!view.isAnswered) return "Looking …";
  const what = wish.kind === "to" ? wish.to : `a ${calledOf(wish, "")}`;
  if (way.hasTargets) return `Every way to ${what} is closed${wish.step_free ? ", or has steps" : ""}.`;
  return wish.kind === "to" ? `No way leads to ${wish.to} at the moment.` : `No ${calledOf(wish, "").replace(/^free /, "")} is free.`;
}

/** @param {string} news */
function showNews(news) {
  const where = byId("way-news");
  if (where.textContent === news) return;
  setText(where, news);
  where.hidden = news === "";
}

/** @param {import("./turns.js").Step[]} steps @param {import("./way.js").Way} way @param {Go} go */
function showSteps(steps, way, go) {
  const where = byId("way-steps");
  const texts = steps.map((step) => `${step.sign}${step.text}`).join("\n");
  if (where.dataset.texts === texts) return;
  where.dataset.texts = texts;
  const focused = [...where.children].findIndex((item) => item.contains(document.activeElement));
  where.replaceChildren(...steps.map((step) => stepItem(step, way, go)));
  if (focused >= 0) /** @type {HTMLElement | null} */ (where.children[Math.min(focused, steps.length - 1)]?.firstElementChild)?.focus();
}

/** @param {import("./turns.js").Step} step @param {import("./way.js").Way} way @param {Go} go */
function stepItem(step, way, go) {
  const stop = way.route?.stops[step.to];
  const click = () => stop && go.show(step.floor, stop.floor === step.floor ? stop.place : (way.route?.stops[step.from].place ?? stop.place));
  const button = element("button", { type: "button", class: "step", click }, element("span", { class: "step-sign", "aria-hidden": "true" }, step.sign), element("span", { class: "step-text" }, step.text));
  return element("li", {}, button);
}
