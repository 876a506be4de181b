/** How an answer is shown: its rows as a table, as a chart, or laid onto the plan of the building. */

import { AnswerChart } from "./console_chart.js";
import { AnswerMap } from "./console_map.js";
import { byId } from "./dom.js";

/** @typedef {"table" | "chart" | "map"} Form */

export class Shown {
  /** @param {import("./console_rows.js").Rows} rows @param {() => void} tabled told when the table is shown again */
  constructor(rows, tabled) {
    this.tabled = tabled;
    this.forms = { table: byId("rows"), chart: byId("answer-chart"), map: byId("answer-map") };
    this.chart = new AnswerChart(this.forms.chart, rows);
    this.map = new AnswerMap(this.forms.map, rows);
    for (const choice of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[name=form]"))) choice.addEventListener("change", () => this.#as(/** @type {Form} */ (choice.value)));
  }

  /** @param {import("./answer_values.js").Column[]} columns @param {any[][]} rows @param {boolean} isOther whether it answers another query */
  begin(columns, rows, isOther) {
    this.chart.begin(columns, rows, isOther);
    this.map.begin(columns, isOther);
  }

  /** @param {[number, any[]][]} changes */
  change(changes) {
    this.chart.change(changes);
    this.map.paint();
  }

  /** @param {boolean} isLive @param {number} more rows that are not sent */
  tell(isLive, more) {
    this.chart.isLive = isLive;
    this.chart.more = this.map.more = more;
  }

  #as(/** @type {Form} */ form) {
    for (const [name, where] of Object.entries(this.forms)) where.hidden = name !== form;
    this.chart.paint();
    this.map.paint();
    if (form === "table") this.tabled();
  }
}
