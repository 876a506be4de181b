/** The counts, the feed's clock, and the banner that says when the map is not the present. */

import { byId, oncePerFrame, setText } from "./dom.js";
import { clockTime } from "./format.js";

/** @param {import("./state.js").State} state */
export function showCounts(state) {
  const paint = oncePerFrame(() => {
    const labs = state.openLabs();
    setText(byId("count-desks"), String(state.free.rows().reduce((sum, row) => sum + Number(row.free), 0)));
    setText(byId("count-people"), state.peopleCount());
    setText(byId("count-labs"), `${labs.open} / ${labs.all}`);
    setText(byId("count-word"), String(state.word.size));
  });
  for (const table of [state.free, state.people, ...(state.few ? [state.few] : []), state.reserved, state.dark, state.cutOff, state.word]) table.onChange(paint);
}

/** Say on the map when nothing is known of it yet. @param {import("./state.js").State} state */
export function showQuiet(state) {
  const note = byId("map-note");
  const said = [state.free, state.taken, state.people, state.temperature, state.light, state.power, state.busy, state.doors, state.devices];
  state.feed.addEventListener("look", () => {
    const isQuiet = state.feed.state === "live" && !state.then && said.every((table) => table.tick !== null && table.size === 0);
    if (isQuiet) setText(note, "Nothing has been measured here yet; the map fills as devices speak.");
    if (isQuiet) note.dataset.state = "quiet";
    note.hidden = !isQuiet;
  });
}

/** @param {import("./feed.js").Feed} feed @param {string} [what] the page, as the banner names it */
export function showFreshness(feed, what = "map") {
  const clock = byId("clock");
  const banner = byId("banner");
  for (const turn of ["online", "offline"]) addEventListener(turn, () => feed.dispatchEvent(new Event("look")));
  feed.addEventListener("look", () => {
    document.documentElement.dataset.feed = feed.state;
    if (feed.at) setText(clock, clockTime(feed.at));
    const text = bannerText(feed, what);
    setText(byId("banner-text"), text);
    banner.hidden = text === "";
    byId("banner-link").hidden = feed.state !== "out";
  });
}

/** @param {string[]} sites @param {string} what */
function without(sites, what) {
  return sites.length ? `Without ${sites.join(", ")} — the ${what} shows what the others say` : "";
}

/** @param {import("./feed.js").Feed} feed @param {string} what */
function bannerText(feed, what) {
  const then = feed.at ? clockTime(feed.at) : "";
  if (feed.state !== "live" && !navigator.onLine) return `This device is offline — the ${what} ${then ? `shows the state of ${then}` : "is empty"}`;
  switch (feed.state) {
    case "lost":
      return then ? `Feed lost since ${then} — the ${what} shows the state of then` : `No feed yet — the ${what} is empty`;
    case "behind":
      return `Catching up — the ${what} shows the state of ${then}`;
    case "out":
      return `You are signed out — the ${what} shows the state of ${then}`;
    default:
      return without(feed.without(), what);
  }
}
