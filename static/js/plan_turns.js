/** When a view changed its plan: marks on a line of time, and of each from what to what, and why. */

import { element } from "./dom.js";
import { dayAndTime } from "./format.js";
import { shape } from "./graph.js";
import { count } from "./plan_words.js";

/** @typedef {{tick: number, at: number, before: string[], after: string[], promised: number | null, now: number, then: number, builds: number, surprises: {what: string, expected: number, rows: number}[]}} Turn */

const WIDTH = 1000;

/** @param {HTMLElement} where @param {Turn[]} turns the last one last */
export function showTurns(where, turns) {
  if (where.dataset.said === JSON.stringify(turns)) return;
  where.dataset.said = JSON.stringify(turns);
  if (turns.length) where.replaceChildren(line(turns), element("ol", { class: "plan-turns", tabindex: "0", "aria-label": "Changes, the last first" }, ...turns.toReversed().map(told)));
  else where.replaceChildren(element("p", { class: "note" }, "It runs as it was planned first."));
}

/** @param {Turn[]} turns */
function line(turns) {
  const [first, last] = [turns[0].at, turns[turns.length - 1].at];
  const place = (/** @type {number} */ at) => (last > first ? 12 + ((at - first) / (last - first)) * (WIDTH - 24) : WIDTH / 2);
  const picture = shape("svg", { viewBox: `0 0 ${WIDTH} 24`, class: "plan-line", "aria-hidden": "true", preserveAspectRatio: "none" });
  picture.append(shape("path", { d: `M0 12H${WIDTH}` }), ...turns.map(({ at }) => shape("path", { d: `M${place(at).toFixed(1)} 3V21`, class: "plan-turn" })));
  return picture;
}

/** @param {Turn} turn */
function told({ tick, at, before, after, promised, now, then, builds, surprises }) {
  const was = promised === null ? "" : ` (it was to be ${count(promised)})`;
  const seen = surprises.map(({ what, rows, expected }) => element("li", {}, `${what}: ${count(rows)} rows, ${count(expected)} expected`));
  return element(
    "li",
    {},
    element("p", {}, element("time", {}, dayAndTime(at)), ` · tick ${tick.toLocaleString("en-GB")}`),
    element("p", { class: "plan-swap" }, element("code", {}, before.join(", ") || "the same parts"), " → ", element("code", {}, after.join(", ") || "the same parts")),
    element("p", {}, `A tick cost ${count(now)} rows handled by what was seen${was}; the other was to cost ${count(then)}, and ${count(builds)} to build.`),
    seen.length ? element("ul", { class: "plan-seen" }, ...seen) : null,
  );
}
