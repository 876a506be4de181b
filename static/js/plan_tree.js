/** How a query is run: its plan as a tree, the answer on top, each node with what came, went, and took time. */

import { element } from "./dom.js";
import { plural } from "./format.js";

const AGAIN = 5000; // milliseconds

/** @typedef {{id: string, kind: string, what: string, site: string, inputs: string[], fragment: string | null, observed: any, rows: any, off: number | null}} PlanNode */

export class PlanTree {
  /** @param {HTMLElement} where */
  constructor(where) {
    this.where = where;
    this.name = "";
    /** @type {Set<string>} nodes that a reader has closed */
    this.closed = new Set();
    setInterval(() => this.name && this.#ask(), AGAIN);
  }

  /** @param {string} name */
  show(name) {
    this.name = name;
    this.closed.clear();
    this.where.replaceChildren(element("p", { class: "note" }, "Asking for the plan …"));
    return this.#ask();
  }

  async #ask() {
    const { name } = this;
    const answer = await fetch(`/api/views/${encodeURIComponent(name)}/plan`).catch(() => null);
    const found = await answer?.json().catch(() => null);
    if (name !== this.name) return;
    if (!answer?.ok) this.where.replaceChildren(element("p", { class: "note" }, `${name}: ${found?.error ?? "the server cannot be reached"}`));
    else this.#draw(found.plan);
  }

  #draw(/** @type {any} */ plan) {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.node : "";
    /** @type {Map<string, PlanNode>} */
    const nodes = new Map(plan.nodes.map((/** @type {PlanNode} */ node) => [node.id, node]));
    const sites = plan.sites.map((/** @type {any} */ site) => `${site.site}: ${plural(site.nodes, "node")}`).join(" · ");
    const missing = plan.missing?.length ? element("p", { class: "note" }, `Without ${plan.missing.join(", ")}`) : null;
    const head = element("p", { class: "plan-head" }, element("strong", {}, this.name), ` ${plural(nodes.size, "node")} · ${sites}`);
    this.where.replaceChildren(head, ...(missing ? [missing] : []), element("ul", { class: "plan-tree" }, this.#node(nodes, plan.root, new Set())));
    if (focused) /** @type {HTMLElement | null} */ (this.where.querySelector(`[data-node="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {Map<string, PlanNode>} nodes @param {string} id @param {Set<string>} drawn nodes that stand elsewhere in the tree already */
  #node(nodes, id, drawn) {
    const node = nodes.get(id);
    if (!node) return element("li", {}, id);
    const again = drawn.has(id);
    drawn.add(id);
    const said = element("span", { class: "plan-node" }, element("b", {}, node.what || node.kind), element("small", {}, [node.site, ...figures(node)].join(" · ")));
    if (again || !node.inputs.length) return element("li", {}, said, again ? element("small", { class: "plan-again" }, "the same node as above") : null);
    const below = element("ul", {}, ...node.inputs.map((input) => this.#node(nodes, input, drawn)));
    const summary = element("summary", { "data-node": id }, said);
    const details = /** @type {HTMLDetailsElement} */ (element("details", { open: !this.closed.has(id) }, summary, below));
    details.addEventListener("toggle", () => (details.open ? this.closed.delete(id) : this.closed.add(id)));
    return element("li", {}, details);
  }
}

const number = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

/** @param {PlanNode} node @returns {string[]} */
function figures({ observed, fragment, off }) {
  const told = [];
  if (observed) {
    if (observed.in !== null && observed.in !== undefined) told.push(`in ${number.format(observed.in)}`);
    if (observed.out !== null && observed.out !== undefined) told.push(`out ${number.format(observed.out)}`);
    if (typeof observed.rows === "number") told.push(`stands at ${number.format(observed.rows)}`);
    if (typeof observed.keeps === "number" && observed.keeps) told.push(`keeps ${number.format(observed.keeps)}`);
    if (typeof observed.seconds === "number" && observed.seconds >= 0.001) told.push(`${observed.seconds.toFixed(3)} s`);
  }
  if (fragment) told.push(fragment);
  if (off) told.push(`${number.format(off)} times the expected rows`);
  return told;
}
