/** Bars by a category: a table whose figures have a length, so that it is read as well as it is seen. */

import { figureText } from "./answer_values.js";
import { element, setText } from "./dom.js";

export class BarList {
  /** @param {HTMLElement} where */
  constructor(where) {
    this.head = element("tr");
    this.body = element("tbody");
    where.replaceChildren(element("table", { class: "bars" }, element("thead", {}, this.head), this.body));
    /** @type {Map<string, {row: HTMLElement, bar: HTMLElement, figure: HTMLElement}>} */
    this.rows = new Map();
  }

  /** @param {string} of what has bars @param {string} what how long they are @param {{name: string, value: number | null}[]} bars */
  show(of, what, bars) {
    this.head.replaceChildren(element("th", { scope: "col" }, of), element("th", { scope: "col", class: "number" }, what), element("td"));
    const values = bars.map(({ value }) => value ?? 0);
    const least = Math.min(0, ...values);
    const wide = Math.max(0, ...values) - least || 1;
    const wanted = new Map(bars.map(({ name }) => [name, this.rows.get(name) ?? made(name)]));
    for (const { name, value } of bars) {
      const { bar, figure } = /** @type {{bar: HTMLElement, figure: HTMLElement}} */ (wanted.get(name));
      setText(figure, figureText(value));
      bar.style.marginInlineStart = `${((Math.min(value ?? 0, 0) - least) / wide) * 100}%`;
      bar.style.width = `${(Math.abs(value ?? 0) / wide) * 100}%`;
    }
    this.rows = wanted;
    this.body.replaceChildren(...[...wanted.values()].map(({ row }) => row));
  }
}

/** @param {string} name */
function made(name) {
  const bar = element("span", { class: "bar" });
  const figure = element("td", { class: "number" });
  return { bar, figure, row: element("tr", {}, element("th", { scope: "row", title: name }, name), figure, element("td", { class: "bar-room" }, bar)) };
}
