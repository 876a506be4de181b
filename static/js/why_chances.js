/**
 * How probable a row is when what sensors say is sometimes wrong: a reader says how often, relation by relation, and
 * the server computes it from the derivations. What was said is remembered on this browser.
 */

import { element, setText } from "./dom.js";
import { rowLines } from "./why_words.js";

/** @typedef {{low: number, high: number, exact: boolean}} Probability */
/** @typedef {Record<string, number>} Rates the share of a relation's rows that are wrong */

const KEY = "smartcis-error-rates";
const MOST = 100; // that the server takes
const TAKEN = "Rows are taken to be wrong independently of each other, and what is not there to be truly not there.";

/** @returns {Rates} what was said last */
export function keptRates() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return Object.fromEntries(Object.entries(kept).filter(([, rate]) => typeof rate === "number" && rate > 0 && rate <= 1).slice(-MOST));
  } catch {
    return {};
  }
}

/** @param {any} answer @param {import("./why_words.js").Shapes} shapes @param {(rates: Rates) => Promise<any>} ask */
export function chances(answer, shapes, ask) {
  const rates = keptRates();
  const inputs = [...relationsOf(answer, shapes)].map(([relation, called]) => ({ relation, input: rateInput(rates[relation]), called }));
  const said = element("p", { class: "why-probability", role: "status" }, words(answer.probability));
  const labels = inputs.map(({ input, called }) => element("label", {}, element("span", {}, called), element("span", {}, input, " % wrong")));
  const form = element("form", { class: "why-rates" }, ...labels, element("button", { class: "act plain" }, "Say how probable"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = Object.fromEntries(inputs.map(({ relation, input }) => [relation, Number(input.value || 0) / 100]));
    keep({ ...rates, ...given });
    setText(said, "Computing …");
    const told = await ask(given).catch((error) => /** @type {Error} */ (error));
    setText(said, told instanceof Error ? told.message : "probability" in told ? words(told.probability) : "The row is not there any more.");
  });
  return element("details", { class: "why-chances", open: answer.probability !== undefined }, element("summary", {}, "How probable is it?"), element("p", { class: "note" }, `Say how often rows of a relation are wrong. ${TAKEN}`), form, said);
}

/** @param {number | undefined} rate @returns {HTMLInputElement} */
function rateInput(rate) {
  return /** @type {HTMLInputElement} */ (element("input", { type: "number", min: "0", max: "100", step: "any", placeholder: "0", value: rate ? String(Number((rate * 100).toPrecision(6))) : "" }));
}

/** @param {any} answer @param {import("./why_words.js").Shapes} shapes @returns {Map<string, string>} relations of base rows, and what they are called */
function relationsOf(answer, shapes) {
  const rows = [...answer.witness, ...answer.derivations.flat()];
  return new Map(rows.map((row) => [row.relation, rowLines(row, shapes)[0]]));
}

function keep(/** @type {Rates} */ rates) {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(rates).filter(([, rate]) => rate > 0))));
  } catch {} // storage may be forbidden or full: then the next row is asked without
}

/** @param {Probability | undefined} probability */
function words(probability) {
  if (!probability) return "";
  const { low, high, exact } = probability;
  return exact ? `It is there with a probability of ${share(low)}.` : `It is there with a probability between ${share(low)} and ${share(high)}; there are too many derivations to say it exactly.`;
}

/** What is not certain is not said to be. @param {number} probability */
function share(probability) {
  const percent = Number((probability * 100).toPrecision(6));
  return percent === 100 && probability < 1 ? "more than 99.9999 %" : `${percent} %`;
}
