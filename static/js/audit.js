/** What was done by whom, the last first. */

import { ask } from "./ask.js";
import { byId, element, setText } from "./dom.js";
import { dayAndTime } from "./format.js";

const MOST = 50;
let last = 0;

/** @param {boolean} goesOn show what was before the last one that is shown */
async function show(goesOn) {
  const words = /** @type {HTMLInputElement} */ (byId("words")).value.trim();
  const asked = new URLSearchParams({ most: String(MOST), words, ...(goesOn ? { before: String(last) } : {}) });
  const said = await ask(`/api/audit?${asked}`).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  setText(byId("problem"), said.problem ?? "");
  if (said.problem) return;
  const lines = said.rows.map((/** @type {any} */ row) =>
    element("tr", {}, element("td", { class: "moment" }, dayAndTime(row.at)), ...[row.who, row.what, row.object, row.outcome, row.address].map((text) => element("td", { class: "text" }, text))),
  );
  if (goesOn) byId("rows").append(...lines);
  else byId("rows").replaceChildren(...lines);
  last = said.rows.at(-1)?.id ?? last;
  byId("more").hidden = said.rows.length < MOST;
  byId("nothing").hidden = byId("rows").children.length > 0;
}

/** @type {number | undefined} */
let typing;
byId("words").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => show(false), 250);
});
byId("more").addEventListener("click", () => show(true));
await show(false);
document.documentElement.dataset.ready = "true";
