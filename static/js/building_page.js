/** The page of a building of one's own: an import with its report, and the plan that things are put onto. */

import { ask } from "./ask.js";
import { Building } from "./building.js";
import { byId, element, setText } from "./dom.js";
import { Placing } from "./placing.js";

const MOST = 20_000_000;
const SHOWN = 200;

/** @param {SubmitEvent} event */
async function importFile(event) {
  event.preventDefault();
  const where = byId("import-report");
  const file = /** @type {HTMLInputElement} */ (byId("import-file")).files?.[0];
  if (!file) return;
  if (file.size > MOST) {
    where.replaceChildren(element("p", {}, `${file.name} has more than 20 MB; import it by smartcis building import.`));
    return;
  }
  where.replaceChildren(element("p", {}, `Importing ${file.name} …`));
  const name = /** @type {HTMLInputElement} */ (byId("import-name")).value || file.name.replace(/\.(geo)?json$/i, "");
  const frame = /** @type {HTMLSelectElement} */ (byId("import-frame")).value;
  try {
    const said = await ask(`/api/building/imports?${new URLSearchParams({ name, frame })}`, { method: "POST", body: file });
    where.replaceChildren(...report(said));
  } catch (error) {
    where.replaceChildren(element("p", {}, /** @type {Error} */ (error).message));
  }
}

/** @param {any} said @returns {Node[]} */
function report({ folder, report: found }) {
  const rooms = found.counts.rooms;
  const reached = rooms - found.unreachable.length;
  const counts = Object.entries(found.counts).filter(([, count]) => count).map(([what, count]) => `${count} ${what}`);
  const lost = (/** @type {any} */ each) => `${each.room}${each.name === each.room ? "" : ` ${each.name}`}, level ${each.level}: ${each.reason}`;
  const told = (/** @type {any} */ each) => `${each.source}: ${each.reason}`;
  return [
    element("h3", {}, `${found.name}: ${reached} of ${rooms} rooms can be reached, ${reached - found.not_step_free.length} of them without steps`),
    element("p", {}, `${counts.join(", ")}; levels ${found.levels.join(", ")}`),
    ...section("Not reachable", found.unreachable.map(lost)),
    ...section("Not reachable without steps", found.not_step_free.map(lost)),
    ...section("Skipped", found.skipped.map(told)),
    ...section("Used in spite of something", found.notes.map(told)),
    element("p", {}, "It is in ", element("code", {}, folder), ". Start SmartCIS with ", element("code", {}, `SMARTCIS_BUILDING=${folder}`), " and a SMARTCIS_STATE of its own to see it."),
  ];
}

/** @param {string} title @param {string[]} lines @returns {Node[]} */
function section(title, lines) {
  if (!lines.length) return [];
  const more = lines.length > SHOWN ? [element("li", {}, `and ${lines.length - SHOWN} more, in report.json`)] : [];
  return [element("h3", {}, `${title}: ${lines.length}`), element("ul", {}, ...lines.slice(0, SHOWN).map((line) => element("li", {}, line)), ...more)];
}

byId("import").addEventListener("submit", (event) => void importFile(/** @type {SubmitEvent} */ (event)));
try {
  const [building, placed, { devices }] = await Promise.all([Building.fetch(), ask("/api/building/placed"), ask("/api/devices")]);
  if (placed.fixed) {
    setText(byId("fixed"), `Nothing can be put here: ${placed.fixed}.`);
    byId("fixed").hidden = false;
  } else {
    byId("placing").hidden = false;
    new Placing(building, placed.things, devices).show(building.entry);
  }
  document.documentElement.dataset.ready = "true";
} catch (error) {
  setText(byId("banner-text"), `The plan could not be drawn: ${/** @type {Error} */ (error).message}`);
  byId("banner").hidden = false;
  throw error;
}
