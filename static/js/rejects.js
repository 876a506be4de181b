/** What sources sent that could not be read: how much of it, and the last ones. For operators. */

import { byId, element, oncePerFrame, setText } from "./dom.js";
import { plural } from "./format.js";

const SHOWN = 8;

/** @param {import("./table.js").Table} table */
export function showRejects(table) {
  const where = byId("rejects");
  const paint = oncePerFrame(() => {
    const rows = table.rows();
    where.hidden = false;
    where.dataset.some = String(rows.length > 0);
    setText(byId("rejects-count"), rows.length ? plural(rows.length, "message") : "none");
    byId("rejects-list").replaceChildren(...rows.slice(-SHOWN).reverse().map(reject));
  });
  table.onChange(paint);
}

/** @param {import("./table.js").Row} row */
function reject(row) {
  return element(
    "li",
    {},
    element("strong", {}, String(row.topic ?? row.source)),
    element("span", {}, String(row.reason ?? "")),
    element("code", {}, String(row.sample ?? "").slice(0, 200)),
  );
}
