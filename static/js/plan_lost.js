/** Why a plan is the one that runs: what else could, what each costs, and why it lost. */

import { element } from "./dom.js";
import { count } from "./plan_words.js";

const FEW = 8; // of the ways that lost, the best

/** @param {HTMLElement} where @param {any} plan the document */
export function showLost(where, plan) {
  const parts = [...(plan.room ? [roomOf(plan.room)] : []), ...(plan.choice ? [waysOf(plan.choice)] : []), ...plan.joins.filter((/** @type {any} */ joined) => joined.lost.length || !joined.searched).map(ordersOf)];
  where.replaceChildren(...(parts.length ? parts : [element("p", { class: "note" }, "There was nothing to choose: no part of it can run at another site, and no join of it in another order.")]));
}

/** @param {any} room */
const roomOf = ({ why }) => element("section", {}, element("h3", {}, "One process or shares"), element("p", { class: "note" }, `${why.charAt(0).toUpperCase()}${why.slice(1)}.`));

/** @param {any} choice */
function waysOf({ goal, chosen, lost }) {
  const wanted = Object.entries(goal.weights).map(([name, weight]) => (weight === 1 ? name : `${weight} ${name}`)).join(" + ");
  const rows = lost.slice(0, FEW).map((/** @type {any} */ way) => [way.name, ...costs(way), way.refused || way.price === null ? "–" : times(way.price), way.why, way.pareto]);
  const more = lost.length > FEW ? element("p", { class: "note" }, `${lost.length - FEW} more lost; EXPLAIN lists all of them.`) : null;
  return element("section", {}, element("h3", {}, `Where each part runs, chosen for ${wanted}`), table("Ways to place it", ["Way", "Latency", "Bytes", "Energy", "Price", "Why not"], [[chosen.name, ...costs(chosen), "1 ×", "chosen", chosen.pareto], ...rows]), more);
}

/** @param {any} joined */
function ordersOf({ inputs, chosen, lost, searched }) {
  const what = element("p", { class: "note" }, inputs.map((/** @type {any} */ input) => `${input.name}: ${input.what}`).join(" · "));
  const few = searched ? null : element("p", { class: "note" }, "It has more orders than are looked at; the cheapest next join was taken each time.");
  const rows = lost.map((/** @type {any} */ order) => [order.order, count(order.cost), order.times === null ? "–" : times(order.times), order.why]);
  return element("section", {}, element("h3", {}, `Order of a join of ${inputs.length}`), what, few, table("Orders of the join", ["Order", "Rows handled a tick", "Price", "Why not"], [[chosen.order, count(chosen.cost), "1 ×", "chosen"], ...rows]));
}

/** @param {any} way */
const costs = ({ costs: { latency, bytes, energy } }) => [`${short(latency)} s`, `${short(bytes)} B/s`, `${short(energy)} J/s`];

/** @param {number} value */
const short = (value) => (value === 0 || value >= 0.001 ? String(Number(value.toPrecision(3))) : value.toExponential(1));

/** @param {number} value */
const times = (value) => `${Number(value.toPrecision(3))} ×`;

/** @param {string} caption @param {string[]} heads @param {any[][]} rows the first of which runs; a last `true` marks what nothing beats in everything */
function table(caption, heads, rows) {
  const lines = rows.map((cells, at) => {
    const isBest = cells.length > heads.length && cells[heads.length];
    const [name, ...others] = cells.slice(0, heads.length);
    return element("tr", { class: at ? "" : "runs" }, element("th", { scope: "row" }, name, isBest ? element("small", { title: "no other is better in everything" }, " (Pareto)") : null), ...others.map((text) => element("td", {}, String(text))));
  });
  const head = element("tr", {}, ...heads.map((title) => element("th", { scope: "col" }, title)));
  return element("div", { class: "table-frame", role: "region", tabindex: "0", "aria-label": caption }, element("table", { class: "rows plan-lost" }, element("caption", { class: "unseen" }, caption), element("thead", {}, head), element("tbody", {}, ...lines)));
}
