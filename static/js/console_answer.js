/** The answer to a query that is watched: its rows, what changed last, how it is run; paused, stopped, saved. */

import { Rows } from "./console_rows.js";
import { Shown } from "./console_shown.js";
import { ResultTable } from "./console_table.js";
import { Tail } from "./console_tail.js";
import { save, toCsv, toJson } from "./csv.js";
import { byId, element, setText } from "./dom.js";
import { clockTime, plural, valueText } from "./format.js";
import { PlanTree } from "./plan_tree.js";

/** @typedef {import("./console_tail.js").Span} Span */

const MOST = 5000; // rows that are sent
const LINES = 300; // changes that are listed
const HELD = 20_000; // changes that are kept while it is paused

export class Answer {
  /** @param {import("./why_dialog.js").WhyDialog} why @param {(message: string, span: Span | null) => void} refused */
  constructor(why, refused) {
    this.why = why;
    this.refused = refused;
    this.view = "";
    this.rows = new Rows();
    this.table = new ResultTable(byId("rows"), this.rows, (entry) => why.explain(this.view, this.table.columns, entry.cells));
    this.shown = new Shown(this.rows, () => this.table.paint());
    this.plan = new PlanTree(byId("plan"));
    /** @type {[number, any[]][][]} what came while it was paused */
    this.waiting = [];
    this.held = 0;
    this.sql = "";
    this.isPaused = false;
    this.more = 0;
    /** @type {Tail | null} */
    this.tail = null;
    byId("stop").addEventListener("click", () => this.stop("Stopped"));
    byId("pause").addEventListener("click", () => this.#pause(!this.isPaused));
    byId("why-not").addEventListener("click", () => why.askWhyNot(this.view, this.table.columns));
    byId("save-csv").addEventListener("click", () => save("answer.csv", toCsv(this.table.columns, this.rows.all()), "text/csv"));
    byId("save-json").addEventListener("click", () => save("answer.json", toJson(this.table.columns, this.rows.all()), "application/json"));
    byId("show-plan").addEventListener("toggle", () => this.#planOf());
    setInterval(() => this.rows.settle(performance.now()) && this.table.paint(), 500);
  }

  /** @param {string} sql */
  watch(sql) {
    this.stop("");
    this.sql = sql;
    this.#say("Asking …", "asking");
    byId("watched").hidden = false;
    byId("changes").replaceChildren();
    this.table.begin([], []);
    this.rows.reset([], []);
    this.tail = new Tail(sql, MOST, {
      state: (state) => this.#begin(state),
      change: (change) => this.#change(change),
      missing: (sites) => this.#lacks(sites),
      ended: (why, span) => this.#ended(why, span),
    });
  }

  /** @param {string} why nothing where something else follows */
  stop(why) {
    const wasOpen = this.tail?.isOpen;
    this.tail?.stop();
    if (wasOpen && why) this.#say(`${why} · ${this.#counted()} as of ${clockTime(Date.now() * 1000)}`, "stopped");
    this.#enable(false);
    this.plan.name = "";
  }

  #begin(/** @type {import("./console_tail.js").State} */ state) {
    const isFirst = state.view !== this.view;
    this.view = state.view;
    this.waiting = [];
    this.held = 0;
    this.more = state.more;
    this.rows.reset(state.rows, state.order);
    if (isFirst || !this.table.columns.length) this.table.begin(state.columns, state.order);
    this.table.paint();
    this.shown.begin(state.columns, state.rows, isFirst);
    this.#enable(true);
    if (isFirst) this.#pause(false);
    this.#lacks(state.missing);
    this.#tally();
    this.#planOf();
    /** @type {HTMLAnchorElement} */ (byId("plan-page")).href = `/plans/${encodeURIComponent(this.view)}`;
  }

  #change(/** @type {import("./console_tail.js").Change} */ { changes, more }) {
    this.more = more;
    if (this.isPaused) this.waiting.push(changes);
    else this.#take(changes);
    this.held += this.isPaused ? changes.length : 0;
    if (this.held > HELD) this.waiting = []; // too much to catch up with: going on begins anew
    this.#tally();
  }

  #take(/** @type {[number, any[]][]} */ changes) {
    this.rows.change(changes, performance.now());
    this.table.paint();
    this.shown.change(changes);
    const at = clockTime(Date.now() * 1000);
    const shown = changes.slice(0, LINES).map(([count, cells]) => element("li", { class: count > 0 ? "came" : "went" }, element("time", {}, at), element("b", {}, count > 0 ? "+" : "−"), ` ${cells.map((value, column) => valueText(value, this.table.columns[column].type)).join(" · ")}`, Math.abs(count) > 1 ? ` (${Math.abs(count)} times)` : ""));
    const list = byId("changes");
    list.prepend(...shown);
    while (list.children.length > LINES) list.lastElementChild?.remove();
  }

  #pause(/** @type {boolean} */ isPaused) {
    this.isPaused = isPaused;
    const button = byId("pause");
    button.setAttribute("aria-pressed", String(isPaused));
    setText(button, isPaused ? "Go on" : "Pause");
    if (!isPaused && this.held > HELD) return this.watch(this.sql);
    this.held = 0;
    for (const changes of isPaused ? [] : this.waiting.splice(0)) this.#take(changes);
    this.#tally();
  }

  #tally() {
    this.shown.tell(this.tail?.isOpen === true && !this.isPaused, this.more);
    if (!this.tail?.isOpen) return;
    const waiting = this.held > HELD ? ` · more than ${HELD.toLocaleString("en-GB")} changes since` : this.held ? ` · ${plural(this.held, "change")} waiting` : "";
    if (this.isPaused) this.#say(`Paused · ${this.#counted()}${waiting}`, "paused");
    else this.#say(`Watching · ${this.#counted()}`, "watching");
  }

  #counted() {
    const more = this.more ? `, and ${this.more.toLocaleString("en-GB")} more that are not shown` : "";
    return `${this.rows.count.toLocaleString("en-GB")} ${this.rows.count === 1 ? "row" : "rows"}${more}`;
  }

  #lacks(/** @type {string[]} */ sites) {
    setText(byId("lacks"), sites.length ? `Without ${sites.join(", ")}: not up, or still to answer.` : "");
  }

  #ended(/** @type {string} */ why, /** @type {Span | null} */ span) {
    this.#enable(false);
    this.plan.name = "";
    this.#say(this.table.columns.length ? `Ended: ${why}` : "", "ended");
    if (!this.table.columns.length) {
      byId("watched").hidden = true;
      this.refused(why, span);
    }
  }

  #planOf() {
    const isOpen = /** @type {HTMLDetailsElement} */ (byId("show-plan")).open;
    if (isOpen && this.tail?.isOpen && this.view && this.plan.name !== this.view) this.plan.show(this.view);
  }

  #enable(/** @type {boolean} */ isWatched) {
    this.shown.tell(isWatched && !this.isPaused, this.more);
    for (const id of ["stop", "pause", "why-not"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = !isWatched;
    byId("plan-page").hidden = !isWatched;
    byId("rows").dataset.live = String(isWatched);
  }

  #say(/** @type {string} */ text, /** @type {string} */ state) {
    byId("state").dataset.state = state;
    setText(byId("state"), text);
    const turn = { asking: "", watching: "Watching", paused: "Paused", stopped: "Stopped", ended: text }[state] ?? "";
    setText(byId("turn"), turn);
  }
}
