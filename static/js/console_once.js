/** Statements that are carried out once: what each of them led to. */

import { Rows } from "./console_rows.js";
import { ResultTable } from "./console_table.js";
import { save, toCsv, toJson } from "./csv.js";
import { element } from "./dom.js";
import { plural } from "./format.js";
import { PlanDrawing } from "./plan_drawing.js";
import { showLost } from "./plan_lost.js";
import { gapWords, rowWords } from "./why_words.js";

/** @param {any} outcome of a statement @param {import("./why_words.js").Shapes} shapes @returns {HTMLElement} */
export function shown(outcome, shapes) {
  if ("done" in outcome) return element("p", { class: "done" }, "rows" in outcome ? `${plural(outcome.rows, "row")} ${outcome.done}: ${outcome.names.join(", ")}` : `${outcome.kind} ${outcome.names.join(", ") || "(none)"} ${outcome.done}`);
  if ("plan" in outcome) return planOf(outcome);
  if ("why" in outcome) return whyList(outcome.why, shapes);
  return listing(outcome);
}

/** @param {{columns: import("./console_table.js").Column[], rows: any[][], more: number, missing?: string[]}} outcome */
function listing({ columns, rows, more, missing = [] }) {
  const frame = element("div", { class: "table-frame once", tabindex: "0", role: "region", "aria-label": "Rows" });
  const held = new Rows();
  held.reset(rows, null);
  new ResultTable(frame, held, null).begin(columns, null);
  const told = [`${rows.length.toLocaleString("en-GB")} ${rows.length === 1 ? "row" : "rows"}`, more && `and ${more.toLocaleString("en-GB")} more that are not shown`, missing.length && `without ${missing.join(", ")}`];
  const csv = element("button", { type: "button", class: "link", click: () => save("answer.csv", toCsv(columns, rows), "text/csv") }, "CSV");
  const json = element("button", { type: "button", class: "link", click: () => save("answer.json", toJson(columns, rows), "application/json") }, "JSON");
  return element("section", { class: "listing" }, element("p", { class: "tally" }, told.filter(Boolean).join(", "), " ", csv, " ", json), frame);
}

/** @param {{plan: any, document: any}} outcome */
function planOf({ plan, document }) {
  const [drawing, lost] = [element("div", { class: "plan-drawing" }), element("div", { class: "plan-part" })];
  const text = element("pre", { tabindex: "0" }, typeof plan === "string" ? plan : JSON.stringify(plan, null, 2));
  requestAnimationFrame(() => new PlanDrawing(drawing).show(document)); // it is as wide as where it stands by then
  showLost(lost, document);
  return element("section", { class: "panel-view plan-once" }, drawing, lost, element("details", { class: "plan-list" }, element("summary", {}, "As text"), text));
}

/** @param {any} why @param {import("./why_words.js").Shapes} shapes */
function whyList(why, shapes) {
  const items = "missing" in why ? why.missing.map((/** @type {any} */ gap) => gapWords(gap, shapes)) : why.witness.map((/** @type {any} */ row) => rowWords(row, shapes));
  const head = "missing" in why ? `${why.view} has no such row; it lacks` : `The row of ${why.view} stands on`;
  return element("section", {}, element("p", {}, head), element("ul", { class: "why-list" }, ...items.map((/** @type {string} */ item) => element("li", {}, item))));
}
