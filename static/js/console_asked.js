/** What was asked on this browser, the newest first; kept here and nowhere else. */

import { element } from "./dom.js";

/** @typedef {{text: string, language: import("./console_editor.js").Language}} Asked */

const KEY = "smartcis-asked";
const MOST = 50;

export class AskedList {
  /** @param {HTMLElement} where @param {(asked: Asked) => void} take put one into the editor */
  constructor(where, take) {
    this.where = where;
    this.take = take;
    /** @type {Asked[]} */
    this.asked = read();
    this.#show();
  }

  /** @param {Asked} asked */
  add(asked) {
    this.asked = [asked, ...this.asked.filter(({ text }) => text !== asked.text)].slice(0, MOST);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.asked));
    } catch {} // storage may be forbidden or full: then it is remembered for as long as the page is open
    this.#show();
  }

  #show() {
    const items = this.asked.map((asked) => element("li", {}, element("button", { type: "button", class: "asked", title: asked.text, click: () => this.take(asked) }, asked.text.replace(/\s+/g, " "))));
    this.where.replaceChildren(...(items.length ? items : [element("li", { class: "note" }, "Nothing yet.")]));
  }
}

/** @returns {Asked[]} */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(({ text }) => typeof text === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}
