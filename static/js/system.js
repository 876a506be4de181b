/** The page of SmartCIS itself: what runs, by which operators, at what cost, and who feeds it since when. */

import { byId, element, oncePerFrame, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { dayAndTime, plural } from "./format.js";
import { showFreshness } from "./header.js";
import { duration } from "./measured.js";
import { PlanTree } from "./plan_tree.js";
import { SortedTable } from "./sorted_table.js";

/** @typedef {import("./table.js").Row} Row */

const AGAIN = 5000; // milliseconds between two looks at the sources
const MOST = 60; // operators that are shown

class System {
  constructor() {
    this.feed = new Feed();
    this.queries = this.feed.table("system_queries", "query");
    this.operators = this.feed.table("system_operators", "operator");
    this.parts = this.feed.table("system_parts", "query");
    this.sites = this.feed.table("system_sites", "site");
    this.plan = new PlanTree(byId("plan"));
    this.chosen = "";
    /** @type {{source: string, state: string, delivers: boolean, since: number | null}[]} */
    this.sources = [];
    this.queryTable = new SortedTable(byId("queries"), "Each query", [
      { name: "query", title: "Query", of: (row) => row.query, text: (row) => this.#link(row) },
      { name: "state", title: "State", of: (row) => row.state, text: (row) => stateOf(row) },
      { name: "since", title: "Since", of: (row) => row.since, text: (row) => since(row.since, this.feed.at) },
      { name: "rows", title: "Rows", of: (row) => row.rows, text: (row) => count(row.rows), number: true },
      { name: "load", title: "Load", of: (row) => row.load, text: (row) => load(row.load), number: true },
      { name: "bytes", title: "Keeps", of: (row) => row.bytes, text: (row) => bytes(row.bytes), number: true },
      { name: "operators", title: "Operators", of: (row) => this.parts.all(row.query).length, number: true },
    ], "load", true);
    this.operatorTable = new SortedTable(byId("operators"), "Each operator", [
      { name: "does", title: "Operator", of: (row) => row.does },
      { name: "came", title: "In", of: (row) => row.came, text: (row) => count(row.came), number: true },
      { name: "went", title: "Out", of: (row) => row.went, text: (row) => count(row.went), number: true },
      { name: "held", title: "Holds", of: (row) => row.held, text: (row) => count(row.held), number: true },
      { name: "seconds", title: "Computed", of: (row) => row.seconds, text: (row) => seconds(row.seconds), number: true },
      { name: "used", title: "Queries", of: (row) => this.#uses(row.operator), number: true },
    ], "seconds", true);
    const paint = oncePerFrame(() => this.#paint());
    for (const table of [this.queries, this.operators, this.parts, this.sites]) table.onChange(paint);
    byId("search").addEventListener("input", paint);
    byId("shared").addEventListener("change", paint);
    showFreshness(this.feed, "page");
    setInterval(() => this.#ask(), AGAIN);
    addEventListener("hashchange", () => this.#fromAddress());
    this.#ask();
  }

  start() {
    this.feed.start();
    this.#fromAddress();
  }

  #fromAddress() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name && name !== this.chosen) this.#choose(name);
  }

  #choose(/** @type {string} */ name) {
    this.chosen = name;
    history.replaceState(null, "", `#${encodeURIComponent(name)}`);
    this.plan.show(name);
    const page = /** @type {HTMLAnchorElement} */ (byId("plan-page"));
    page.href = `/plans/${encodeURIComponent(name)}`;
    page.hidden = false;
    this.#paint();
    byId("plan-block").scrollIntoView({ block: "nearest" });
  }

  #link(/** @type {Row} */ row) {
    const made = element("button", { type: "button", class: "link", click: () => this.#choose(row.query), "aria-pressed": String(row.query === this.chosen) }, row.query);
    return made;
  }

  #uses(/** @type {string} */ operator) {
    return this.users?.get(operator) ?? 0;
  }

  #paint() {
    const focused = document.activeElement?.textContent;
    const within = document.activeElement?.closest("tbody")?.parentElement?.parentElement?.id;
    this.users = new Map();
    for (const row of this.parts.rows()) this.users.set(row.operator, (this.users.get(row.operator) ?? 0) + 1);
    const words = /** @type {HTMLInputElement} */ (byId("search")).value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const queries = this.queries.rows();
    const shown = queries.filter((row) => words.every((word) => `${row.query} ${row.text ?? ""}`.toLowerCase().includes(word)));
    this.queryTable.show(shown);
    setText(byId("queries-count"), shown.length === queries.length ? plural(shown.length, "query", "queries") : `${shown.length} of ${queries.length}`);
    this.#paintOperators();
    this.#paintTotals(queries);
    this.#paintFeeds();
    byId("silent").hidden = this.queries.tick === null || queries.length > 0;
    if (this.queries.tick !== null) document.documentElement.dataset.ready = "true";
    if (within && focused) [...byId(within).querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
  }

  #paintOperators() {
    const only = /** @type {HTMLInputElement} */ (byId("shared")).checked;
    const mine = new Set(this.parts.all(this.chosen).map((row) => row.operator));
    const operators = this.operators.rows().filter((row) => !only || mine.has(row.operator));
    this.operatorTable.show(operators, MOST);
    setText(byId("operators-count"), operators.length > MOST ? `${MOST} of ${operators.length}` : plural(operators.length, "operator"));
  }

  #paintTotals(/** @type {Row[]} */ queries) {
    const operators = this.operators.rows();
    const total = (/** @type {string} */ name) => operators.reduce((sum, row) => sum + Number(row[name] ?? 0), 0);
    const suspended = queries.filter((row) => row.state !== "running").length;
    setText(byId("total-queries"), suspended ? `${queries.length}, ${suspended} suspended` : String(queries.length));
    setText(byId("total-operators"), String(operators.length));
    setText(byId("total-rows"), `${count(total("came"))} / ${count(total("went"))}`);
    setText(byId("total-held"), count(total("held")));
    setText(byId("total-seconds"), seconds(total("seconds")));
  }

  #paintFeeds() {
    const sources = this.sources.map(({ source, state, delivers, since }) => feedRow(source, delivers, state, since, this.feed.at));
    byId("sources").replaceChildren(...sources);
    const sites = this.sites.rows().sort((a, b) => String(a.site).localeCompare(String(b.site)));
    byId("sites").replaceChildren(...sites.map((row) => feedRow(row.site, row.state === "up", row.problem ? `${row.state}: ${row.problem}` : row.state, moment(row.since), this.feed.at)));
    byId("no-sites").hidden = sites.length > 0;
  }

  async #ask() {
    const answer = await fetch("/api/system").catch(() => null);
    if (!answer?.ok) return;
    this.sources = (await answer.json()).sources;
    this.#paintFeeds();
  }
}

/** @param {string} name @param {boolean} isWell @param {string} state @param {number | null} at since when @param {number} now */
function feedRow(name, isWell, state, at, now) {
  const told = at && now ? `for ${duration(at, now)}, since ${dayAndTime(at)}` : "";
  return element("li", { "data-well": String(isWell), "data-feed-name": name }, element("strong", {}, name), element("span", {}, state), element("small", {}, told));
}

/** @param {unknown} text a timestamp @returns {number | null} */
function moment(text) {
  const at = text ? Date.parse(String(text)) * 1000 : NaN;
  return Number.isNaN(at) ? null : at;
}

/** @param {unknown} text @param {number} now */
function since(text, now) {
  const at = moment(text);
  return at && now ? duration(at, now) : "–";
}

/** @param {Row} row */
const stateOf = (row) => (row.problem ? `${row.state}: ${row.problem}` : String(row.state));

const grouped = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

/** @param {unknown} value */
const count = (value) => (value === null || value === undefined ? "–" : grouped.format(Number(value)));

/** @param {unknown} value seconds a second */
const load = (value) => (typeof value === "number" ? `${(value * 100).toFixed(value < 0.01 ? 2 : 1)} %` : "–");

/** @param {unknown} value */
const seconds = (value) => (typeof value === "number" ? `${value.toFixed(value < 10 ? 2 : 0)} s` : "–");

/** @param {unknown} value */
function bytes(value) {
  if (value === null || value === undefined) return "–";
  const size = Number(value);
  return size >= 1e6 ? `${(size / 1e6).toFixed(1)} MB` : `${(size / 1e3).toFixed(size < 1e4 ? 1 : 0)} kB`;
}

new System().start();
