/** How the sources do: those that do not deliver, or deliver and have something to say. For operators. */

import { byId, element, setText } from "./dom.js";
import { plural } from "./format.js";

const PERIOD = 10_000;
const WELL = /^ok(, at [^;]*)?$/; // MQTT's also says where its broker is

/** @param {HTMLElement} where */
export function showSources(where) {
  const look = async () => {
    const answer = await fetch("/api/sources").catch(() => null);
    if (answer?.ok) paint(where, await answer.json());
  };
  setInterval(look, PERIOD);
  look();
}

/** @param {HTMLElement} where @param {Record<string, string>} sources */
function paint(where, sources) {
  const told = Object.entries(sources).filter(([, state]) => !WELL.test(state));
  const known = Object.keys(sources).length;
  where.hidden = false;
  where.dataset.some = String(told.length > 0);
  setText(byId("sources-count"), told.length ? `${told.length} of ${known} to look at` : `${plural(known, "source")}, all well`);
  byId("sources-list").replaceChildren(
    ...told.map(([name, state]) => element("li", {}, element("strong", {}, name), element("span", {}, state))),
  );
}
