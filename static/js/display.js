/** A display: the rows of every view that is routed to it, as tables, and how fresh they are. */

import { byId, element, oncePerFrame, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { clockTime, plural, valueText } from "./format.js";
import { showFreshness } from "./header.js";

const MOST = 200;
/** @type {Record<string, string>} */
const KINDS = { BIGINT: "number", DOUBLE: "number", TIMESTAMP: "moment" };
const inOrder = new Intl.Collator("en", { numeric: true });

class Display {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.feed = new Feed();
    /** @type {Map<string, ViewTable>} */
    this.shown = new Map();
    showFreshness(this.feed, "display");
    this.feed.addEventListener("routed", () => this.look());
  }

  async start() {
    this.feed.start();
    await this.look();
    document.documentElement.dataset.ready = "true";
  }

  /** Show what is routed here by now. */
  async look() {
    const answer = await fetch("/api/displays");
    if (!answer.ok) return;
    /** @type {string[]} */
    const views = (await answer.json())[this.name] ?? [];
    for (const view of [...this.shown.keys()].filter((view) => !views.includes(view))) {
      this.feed.unwatch(view);
      this.shown.get(view)?.where.remove();
      this.shown.delete(view);
    }
    for (const view of views.filter((view) => !this.shown.has(view))) this.shown.set(view, new ViewTable(this.feed, view));
    byId("views").replaceChildren(...views.map((view) => /** @type {ViewTable} */ (this.shown.get(view)).where));
    byId("nothing").hidden = views.length > 0;
  }
}

class ViewTable {
  /** @param {Feed} feed @param {string} view */
  constructor(feed, view) {
    this.head = element("tr");
    this.body = element("tbody");
    this.tally = element("p", { class: "tally" }, "…");
    this.lacks = element("p", { class: "tally lacks" });
    this.where = element(
      "section",
      { class: "panel-view" },
      element("header", {}, element("h2", {}, title(view)), this.tally, this.lacks),
      element("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": title(view) }, element("table", { class: "rows" }, element("thead", {}, this.head), this.body)),
    );
    this.table = feed.watch(view);
    this.table.onChange(oncePerFrame(() => this.paint()));
    feed.addEventListener("look", () => setText(this.lacks, (feed.missing[view] ?? []).map((site) => `without ${site}`).join(", ")));
  }

  paint() {
    const { shape, order } = this.table;
    this.head.replaceChildren(...shape.map((column) => element("th", { scope: "col", class: kind(column) }, column.name)));
    const rows = this.table.everyRow().sort((a, b) => compared(a, b, order) || inOrder.compare(sortText(a), sortText(b)));
    this.body.replaceChildren(...rows.slice(0, MOST).map((cells) => element("tr", {}, ...cells.map((value, i) => cell(value, shape[i])))));
    const more = rows.length > MOST ? `, the first ${MOST} shown` : "";
    const changed = this.table.at ? ` · changed ${clockTime(this.table.at)}` : "";
    setText(this.tally, `${rows.length ? plural(rows.length, "row") : "no rows"}${more}${changed}`);
  }
}

/**
 * Which of two rows comes first in the order of the query.
 * @param {any[]} a @param {any[]} b @param {import("./table.js").Order[]} order @returns {number}
 */
function compared(a, b, order) {
  for (const { column, descending, nulls_first } of order) {
    const [x, y] = [a[column], b[column]];
    if (x === y) continue;
    if (x === null || y === null) return (x === null) === nulls_first ? -1 : 1;
    if (x < y || x > y) return x < y === descending ? 1 : -1;
  }
  return 0;
}

/** @param {unknown[]} cells */
const sortText = (cells) => cells.map((value) => String(value ?? "")).join("\u0001");

/** @param {string} view */
const title = (view) => (view.startsWith("query_") ? "A query" : view.replaceAll("_", " "));

/** @param {{type: string}} column */
const kind = (column) => KINDS[column.type.toUpperCase()] ?? "text";

/** @param {unknown} value @param {{name: string, type: string}} column */
function cell(value, column) {
  if (value === null) return element("td", { class: `${kind(column)} null` }, "–");
  return element("td", { class: kind(column) }, valueText(value, column.type));
}

new Display(document.body.dataset.display ?? "").start();
