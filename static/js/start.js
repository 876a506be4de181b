/**
 * What is seen first: the plan of the floor in the address, drawn before anything else of the page is fetched.
 * Then comes the rest, `main.js`, which brings it to life.
 */

import { readAddress } from "./address.js";
import { Building } from "./building.js";
import { Desks } from "./desks.js";
import { byId, element } from "./dom.js";
import { Feed } from "./feed.js";
import { Plan } from "./map.js";
import { Rooms } from "./rooms.js";
import { State } from "./state.js";

/** @typedef {{building: Building, plan: Plan, feed: Feed, state: State, rooms: Rooms, desks: Desks}} Drawn */

/** Pixels below the plan, so that on a common screen neither the legend nor the floors cover any of it. */
const LEGEND = 52;

const looked = readAddress(location.hash);
/** @type {import("./main.js").Page | undefined} */
let page;

try {
  const drawn = draw(await Building.fetch());
  byId("map-note").hidden = true;
  requestAnimationFrame(() => performance.mark("plan-drawn"));
  const { Page } = await import("./main.js");
  await documentRead();
  page = new Page(drawn);
  page.start(readAddress(location.hash)); // which may be another by now
} catch (error) {
  fail(/** @type {Error} */ (error));
  throw error;
}

/** @param {Building} building @returns {Drawn} */
function draw(building) {
  const feed = new Feed();
  const state = new State(feed, building, document.body.dataset.role ?? "");
  const plan = new Plan(byId("map"), building);
  plan.below = LEGEND;
  plan.fit();
  const rooms = new Rooms(plan, state, (id) => page?.select(id));
  const desks = new Desks(plan, state, (id) => page?.selectDesk(id), (id) => page?.openTasks(id));
  plan.show(looked.floor ?? building.entry);
  return { building, plan, feed, state, rooms, desks };
}

/** Scripts that are not modules run before this. */
function documentRead() {
  if (document.readyState === "complete" || performance.getEntriesByType("navigation").some(hasBeenRead)) return null;
  return new Promise((resolve) => addEventListener("DOMContentLoaded", resolve, { once: true }));
}

function hasBeenRead(/** @type {any} */ navigation) {
  return navigation.domContentLoadedEventEnd > 0;
}

function fail(/** @type {Error} */ error) {
  const note = byId("map-note");
  const again = element("button", { type: "button", class: "act", click: () => location.reload() }, "Try again");
  const reason = navigator.onLine ? error.message : "this device is offline";
  note.replaceChildren(element("strong", {}, "The map could not be drawn"), element("span", { role: "alert" }, reason), again);
  note.dataset.state = "failed";
  note.hidden = false;
}
