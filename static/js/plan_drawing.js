/** The plan of a query as a picture: a box for each operator, lines as wide as rows go, numbers that change in place. */

import { element, setText } from "./dom.js";
import { plural } from "./format.js";
import { Picture, shape } from "./graph.js";
import { PlanTable } from "./plan_table.js";
import { Rates } from "./plan_rates.js";
import { does, isOff, keepsLine, offWords, perSecond, rowsLine, sharesLine, workLine, wrapped } from "./plan_words.js";

/** @typedef {import("./plan_words.js").PlanNode} PlanNode */
/** @typedef {import("./plan_words.js").PlanEdge} PlanEdge */

const WIDE = 34; // signs in a line of a box
const BOX = 268; // pixels
const ZOOMS = [0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.5];
const KINDS = ["operators", "spark", "shares", "sensor", "database"];

export class PlanDrawing {
  /** @param {HTMLElement} where */
  constructor(where) {
    this.rates = new Rates();
    this.legend = element("ul", { class: "plan-legend", "aria-label": "Sites" });
    this.frame = element("div", { class: "plan-frame", role: "region", tabindex: "0", "aria-label": "The plan as a picture" });
    this.said = element("div", { class: "plan-said", role: "status" }, "Choose a box to read all that is known of it.");
    const rows = element("div", { class: "table-frame", role: "region", tabindex: "0", "aria-label": "Each operator of the plan" });
    this.table = new PlanTable(rows);
    const list = element("details", { class: "plan-list" }, element("summary", {}, "The same as a table"), rows);
    where.replaceChildren(element("div", { class: "plan-tools" }, this.legend, this.#zoomButtons()), this.frame, this.said, list);
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {Map<string, PlanNode>} */
    this.nodes = new Map();
    /** @type {PlanEdge[]} */
    this.edges = [];
    this.shape = "";
    this.chosen = "";
    this.zoom = 1;
    this.frame.addEventListener("keydown", (event) => this.#key(event));
    this.frame.addEventListener("click", (event) => this.#choose(boxOf(event.target)));
    this.frame.addEventListener("focusin", (event) => this.#choose(boxOf(event.target)));
    this.#drags();
  }

  /** @param {any} plan the document of it */
  show(plan) {
    this.nodes = new Map(plan.nodes.map((/** @type {PlanNode} */ node) => [node.id, node]));
    this.edges = plan.edges;
    this.rates.take(plan.nodes);
    const shape = JSON.stringify([plan.root, plan.edges.map((/** @type {PlanEdge} */ edge) => [edge.from, edge.to])]);
    if (shape === this.shape) this.#repaint();
    else this.#draw(plan);
    this.shape = shape;
    this.table.show(plan.nodes, this.rates);
    if (this.chosen) this.#tell();
  }

  #draw(/** @type {any} */ plan) {
    const groups = groupsOf(plan.nodes);
    const nodes = plan.nodes.map((/** @type {PlanNode} */ node) => ({ id: node.id, kind: this.#kind(node), lines: this.#lines(node), width: BOX, within: groups.find(({ id }) => id === node.fragment && node.kind !== "Shipped")?.id }));
    const edges = this.edges.map((edge) => this.#edge(edge));
    this.picture = new Picture(nodes, edges, `The plan: ${plural(nodes.length, "operator")}, the answer at the top, what is read at the bottom`, { direction: "BT", role: "group", groups });
    for (const [id, box] of this.picture.boxes) {
      box.setAttribute("role", "button");
      box.setAttribute("tabindex", id === plan.root ? "0" : "-1");
    }
    this.frame.replaceChildren(this.picture.svg);
    this.legend.replaceChildren(...plan.sites.map((/** @type {any} */ { site, nodes: many }) => element("li", {}, swatch(kindOf(site)), `${siteWords(site)} (${many})`)));
    if (!this.nodes.has(this.chosen)) this.chosen = "";
    this.#scale(this.#fitting());
    const root = this.picture.boxes.get(plan.root)?.getBoundingClientRect();
    const seen = this.frame.getBoundingClientRect();
    if (root) this.frame.scrollLeft += root.left + root.width / 2 - seen.left - seen.width / 2;
    this.#repaint();
  }

  #repaint() {
    for (const node of this.nodes.values()) {
      const lines = this.#lines(node);
      this.picture?.say(node.id, lines, this.#kind(node));
      const box = this.picture?.boxes.get(node.id);
      const figures = lines.slice(1 + wrapped(node.what, WIDE).length);
      const label = [siteWords(node.site), does(node), node.what, ...figures].filter(Boolean).join(", ");
      if (box && box.getAttribute("aria-label") !== label) box.setAttribute("aria-label", label);
    }
    for (const edge of this.edges) this.picture?.weigh(this.#edge(edge));
  }

  /** @param {PlanNode} node @returns {string[]} always as many */
  #lines(node) {
    const said = [does(node), ...wrapped(node.what, WIDE), rowsLine(node)];
    return node.observed ? [...said, workLine(this.rates.of(node.id)), keepsLine(node)] : said;
  }

  /** @param {PlanNode} node */
  #kind(node) {
    return [`site-${kindOf(node.site)}`, isOff(node) ? "off" : "", node.id === this.chosen ? "chosen" : ""].filter(Boolean).join(" ");
  }

  /** Rows go as they are put out; what arrives for a window is what enters it, since what leaves was there. @param {PlanEdge} edge */
  #edge({ from, to, crosses }) {
    const reader = this.nodes.get(to);
    const rate = this.rates.of(from);
    const reads = !rate && crosses ? this.rates.of(to) : null;
    const rows = rate ? rate.rows : reads ? (reader?.kind === "Windowed" ? reads.entered : reads.rows) : null;
    return { from, to, kind: crosses ? "crosses" : "", label: perSecond(rows), width: 1.5 + Math.min(Math.log2(1 + (rows ?? 0)) * 1.1, 10) };
  }

  #choose(/** @type {string} */ id) {
    if (!id || id === this.chosen) return;
    const before = this.chosen;
    this.chosen = id;
    for (const [each, box] of this.picture?.boxes ?? []) box.setAttribute("tabindex", each === id ? "0" : "-1");
    for (const each of [before, id]) if (this.nodes.has(each)) this.picture?.say(each, this.#lines(/** @type {PlanNode} */ (this.nodes.get(each))), this.#kind(/** @type {PlanNode} */ (this.nodes.get(each))));
    this.#tell();
  }

  #tell() {
    const node = this.nodes.get(this.chosen);
    if (!node) return;
    const ships = this.edges.filter(({ from, crosses }) => from === node.id && crosses);
    const told = [
      node.fragment && node.fragment !== node.what ? `Part ${node.fragment}.` : "",
      `${rowsLine(node)}${node.off !== null && isOff(node) ? `, ${offWords(node.off)}` : ""}${node.rows ? ` (${node.rows.source === "observed" ? "seen" : `known by ${node.rows.source}`})` : ""}.`,
      ...[workLine(this.rates.of(node.id)), keepsLine(node), sharesLine(node)].filter(Boolean).map((text) => `${text}.`),
      ...ships.map(({ to, ships: columns }) => `Ships ${columns?.join(", ")} to ${siteWords(this.nodes.get(to)?.site ?? "")}.`),
    ];
    const words = [`${does(node)} · ${siteWords(node.site)}`, node.what, told.filter((text) => text && text !== ".").join(" ")];
    if (this.said.children.length !== words.length) this.said.replaceChildren(element("b"), element("code"), element("p"));
    words.forEach((text, at) => setText(this.said.children[at], text));
  }

  /** The keys go along the lines: up to who reads, down to what is read, aside to what the same one reads. @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "+" || event.key === "-") this.#step(event.key === "+" ? 1 : -1);
    const id = boxOf(event.target);
    if (!id || !["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", " "].includes(event.key)) return;
    event.preventDefault();
    const above = this.edges.find(({ from }) => from === id)?.to;
    const beside = this.edges.filter(({ to }) => to === above).map(({ from }) => from);
    const next = { ArrowUp: above, ArrowDown: this.edges.find(({ to }) => to === id)?.from, ArrowLeft: beside[beside.indexOf(id) - 1], ArrowRight: beside[beside.indexOf(id) + 1] }[event.key];
    const box = this.picture?.boxes.get(next ?? id);
    box?.focus({ preventScroll: true });
    box?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #zoomButtons() {
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) => element("button", { type: "button", class: "plan-zoom", "aria-label": label, click: act }, text);
    return element("p", { class: "plan-zooms" }, button("−", "Smaller", () => this.#step(-1)), button("+", "Larger", () => this.#step(1)), button("Whole", "The whole plan", () => this.#scale(this.#whole())));
  }

  #step(/** @type {number} */ by) {
    const next = by > 0 ? ZOOMS.find((zoom) => zoom > this.zoom + 0.01) : ZOOMS.findLast((zoom) => zoom < this.zoom - 0.01);
    this.#scale(next ?? this.zoom);
  }

  #whole() {
    if (!this.picture) return 1;
    return Math.min(1, (this.frame.clientWidth - 4) / this.picture.width, (this.frame.clientHeight - 4) / this.picture.height);
  }

  /** As large as its width allows, and large enough to be read. */
  #fitting() {
    return this.picture ? Math.max(0.7, Math.min(1, (this.frame.clientWidth - 4) / this.picture.width)) : 1;
  }

  #scale(/** @type {number} */ zoom) {
    this.zoom = zoom;
    this.picture?.svg.setAttribute("width", String(Math.floor(this.picture.width * zoom)));
    this.picture?.svg.setAttribute("height", String(Math.floor(this.picture.height * zoom)));
  }

  /** A mouse drags the picture; fingers scroll it. */
  #drags() {
    /** @type {PointerEvent | null} */
    let last = null;
    this.frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button === 0) last = event;
    });
    addEventListener("pointermove", (event) => {
      if (!last) return;
      this.frame.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY);
      last = event;
    });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (last = null));
  }
}

/** @param {EventTarget | null} target @returns {string} the node whose box it is in */
const boxOf = (target) => (target instanceof Element ? target.closest("[data-box]")?.getAttribute("data-box") ?? "" : "");

/** What another site computes in one piece stands together. @param {PlanNode[]} nodes */
function groupsOf(nodes) {
  const elsewhere = nodes.filter(({ fragment, kind }) => fragment && kind !== "Shipped");
  return [...new Map(elsewhere.map(({ fragment, site }) => [fragment, { id: String(fragment), title: siteWords(site), kind: `site-${kindOf(site)}` }])).values()];
}

/** @param {string} site such as "stream: Spark" @returns {string} what it is coloured by */
function kindOf(site) {
  const [kind, name] = site.split(": ");
  const found = kind === "stream" ? name.toLowerCase().split(" ")[0] : kind;
  return KINDS.includes(found) ? found : "operators";
}

/** @param {string} site */
export function siteWords(site) {
  const [kind, name = ""] = site.split(": ");
  if (kind === "sensor") return name === "gateways" ? "gateways" : `gateway ${name}`;
  if (kind === "database") return `database ${name}`;
  return { operators: "stream engine", Spark: "Spark, the driver's pass", "shares in executors": "shares beside Spark's executors" }[name] ?? (site || "stream engine");
}

/** @param {string} kind */
function swatch(kind) {
  const svg = shape("svg", { width: 26, height: 18, "aria-hidden": "true", class: "graph" });
  const group = shape("g", { class: `graph-node site-${kind}` });
  group.append(shape("rect", { x: 2, y: 2, width: 22, height: 14, rx: 4 }));
  svg.append(group);
  return svg;
}
