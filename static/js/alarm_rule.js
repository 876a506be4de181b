/** A form that writes a rule as a statement, shown while it is filled; *Make it* makes the view. */

import { ask, post } from "./ask.js";
import { byId, element, setText } from "./dom.js";

const QUIET = 300;
const form = /** @type {HTMLFormElement} */ (byId("rule"));
const choice = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
/** @type {Map<string, {name: string, type: string}[]>} */
const views = new Map();
/** @type {number | undefined} */
let typing;
let sql = "";

const said = () => Object.fromEntries(new FormData(form));

/** The columns of the chosen view, to be compared and to name an alarm. */
function showColumns() {
  const names = (views.get(choice("view").value) ?? []).map(({ name }) => name);
  const options = (/** @type {string} */ none) => [element("option", { value: "" }, none), ...names.map((name) => element("option", {}, name))];
  choice("column").replaceChildren(...options("anything"));
  choice("key").replaceChildren(...options("row"));
}

async function write() {
  const found = await post("/api/alarm-rules", said()).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  sql = found.sql ?? "";
  setText(byId("sql"), sql);
  const isEmpty = !String(said().name).trim();
  setText(byId("problem"), isEmpty ? "" : (found.problem ?? ""));
  const link = /** @type {HTMLAnchorElement} */ (byId("console"));
  link.hash = sql ? `#${new URLSearchParams({ ask: sql })}` : "";
}

form.addEventListener("input", (event) => {
  if (event.target === choice("view")) showColumns();
  setText(byId("done"), "");
  clearTimeout(typing);
  typing = setTimeout(write, QUIET);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  clearTimeout(typing);
  await write();
  if (!sql) return;
  const made = await post("/api/views", { sql }).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  setText(byId("problem"), made.problem ?? "");
  setText(byId("done"), made.problem ? "" : `It watches from now on, as the view ${made.view}.`);
});
try {
  const [schema, told] = await Promise.all([ask("/api/schema"), ask("/api/alarm-channels")]);
  for (const { name, kind, columns } of schema.relations) if (kind === "view") views.set(name, columns);
  choice("view").replaceChildren(...[...views.keys()].map((name) => element("option", {}, name)));
  byId("channels").replaceChildren(...told.channels.map((/** @type {{name: string}} */ { name }) => element("option", { value: name })));
  showColumns();
  await write();
} catch (error) {
  setText(byId("problem"), `The views could not be read: ${/** @type {Error} */ (error).message}`);
}
document.documentElement.dataset.ready = "true";
