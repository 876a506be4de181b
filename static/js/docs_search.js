/**
 * The search box of the book: a list that is walked by arrow keys; "/" leads to it from anywhere on the page. Enter
 * opens the place that is chosen, and without one a page of all places. What is late to come is not shown any more.
 */

import { element } from "./dom.js";
import { markWords } from "./docs_marks.js";

/** @typedef {{ chapter: string, title: string, heading: string, anchor: string, excerpt: string }} Place */

const REST = 120; // milliseconds that a key rests before anything is asked

export class DocsSearch {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.input = /** @type {HTMLInputElement} */ (form.elements.namedItem("words"));
    this.list = /** @type {HTMLElement} */ (form.querySelector("[role=listbox]"));
    /** @type {Place[]} */
    this.places = [];
    this.at = -1;
    this.rest = 0;
    this.input.addEventListener("input", () => this.#wait());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.input.addEventListener("blur", () => this.#close());
    this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the box
    addEventListener("keydown", (event) => this.#maybeFocus(event));
  }

  #maybeFocus(/** @type {KeyboardEvent} */ event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select")) return;
    event.preventDefault();
    this.input.focus();
    this.input.select();
  }

  #wait() {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.#ask(), REST);
  }

  async #ask() {
    const words = this.input.value.trim();
    if (!words) return this.#close();
    const answer = await fetch(`${this.form.dataset.found}?${new URLSearchParams({ words })}`).catch(() => null);
    if (!answer?.ok || words !== this.input.value.trim()) return;
    this.#show((await answer.json()).found, words);
  }

  #show(/** @type {Place[]} */ places, /** @type {string} */ words) {
    this.places = places;
    const options = places.map((place, i) => this.#option(place, i));
    for (const option of options) markWords(option, words);
    const nothing = element("li", { class: "nothing", role: "option", "aria-disabled": "true" }, `No chapter has “${words}”.`);
    this.list.replaceChildren(...(options.length ? options : [nothing]));
    this.list.hidden = document.activeElement !== this.input;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.#mark(-1);
  }

  #option(/** @type {Place} */ place, /** @type {number} */ i) {
    return element(
      "li",
      { role: "option", id: `docs-found-${i}`, "aria-selected": "false", click: () => this.#open(place) },
      element("strong", {}, place.heading || place.title),
      element("span", { class: "docs-where" }, place.title),
      element("span", { class: "docs-excerpt" }, place.excerpt),
    );
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const last = this.places.length - 1;
    if (this.list.hidden) return;
    if (event.key === "ArrowDown") this.#mark(this.at >= last ? 0 : this.at + 1);
    else if (event.key === "ArrowUp") this.#mark(this.at <= 0 ? last : this.at - 1);
    else if (event.key === "Enter" && this.places[this.at]) this.#open(this.places[this.at]);
    else if (event.key === "Escape") this.#close();
    else return;
    event.preventDefault();
  }

  #mark(/** @type {number} */ at) {
    this.at = at;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = this.places[at] && this.list.children[at];
    if (option) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  #open(/** @type {Place} */ place) {
    const words = new URLSearchParams({ words: this.input.value.trim() });
    this.#close();
    location.assign(`${this.form.dataset.page}/${place.chapter}?${words}#${place.anchor}`);
  }

  #close() {
    clearTimeout(this.rest);
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
