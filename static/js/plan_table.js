/** The operators of a plan as a table: what the picture says, for whoever reads rather than looks. */

import { does, count, isOff, keepsLine, milliseconds, offWords, perSecond } from "./plan_words.js";
import { SortedTable } from "./sorted_table.js";

/** @typedef {import("./plan_words.js").PlanNode} PlanNode */
/** @typedef {import("./plan_rates.js").Rates} Rates */

export class PlanTable {
  /** @param {HTMLElement} where */
  constructor(where) {
    /** @type {Rates | null} */
    this.rates = null;
    /** @type {Map<string, number>} */
    this.numbers = new Map();
    const rate = (/** @type {PlanNode} */ { id }) => this.rates?.of(id) ?? null;
    this.table = new SortedTable(where, "Each operator of the plan", [
      { name: "number", title: "No.", of: ({ id }) => this.numbers.get(id) ?? 0, number: true },
      { name: "does", title: "Does", of: (node) => `${does(node)}: ${node.what}` },
      { name: "site", title: "Site", of: ({ site }) => site },
      { name: "reads", title: "Reads", of: ({ inputs }) => inputs.map((/** @type {string} */ id) => this.numbers.get(id)).join(", ") || "–" },
      { name: "rows", title: "Rows", of: ({ observed }) => observed?.rows ?? null, text: (node) => count(node.observed?.rows), number: true },
      { name: "expected", title: "Expected", of: ({ rows }) => rows?.expected ?? null, text: (node) => `${count(node.rows?.expected)}${isOff(node) ? `, ${offWords(node.off)} there` : ""}`, number: true },
      { name: "flow", title: "Put out", of: (node) => rate(node)?.rows ?? null, text: (node) => perSecond(rate(node)?.rows) || "–", number: true },
      { name: "tick", title: "A tick", of: (node) => rate(node)?.seconds ?? null, text: (node) => milliseconds(rate(node)?.seconds ?? 0), number: true },
      { name: "share", title: "Share", of: (node) => rate(node)?.share ?? null, text: (node) => `${((rate(node)?.share ?? 0) * 100).toFixed(0)} %`, number: true },
      { name: "keeps", title: "State", of: ({ observed }) => observed?.keeps ?? null, text: (node) => keepsLine(node) || "–", number: true },
    ], "number");
  }

  /** @param {PlanNode[]} nodes the answer first @param {Rates} rates */
  show(nodes, rates) {
    this.rates = rates;
    this.numbers = new Map(nodes.map(({ id }, at) => [id, at + 1]));
    this.table.show(nodes);
  }
}
