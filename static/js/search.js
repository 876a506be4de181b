/** The search box: a combobox whose list is walked by arrow keys; "/" leads to it from anywhere on the page. */

import { byId, element } from "./dom.js";
import { entriesOf, matching } from "./search_index.js";

/** @typedef {import("./search_index.js").Entry} Entry */

export class Search {
  /** @param {import("./state.js").State} state @param {(entry: Entry) => void} choose */
  constructor(state, choose) {
    this.state = state;
    this.choose = choose;
    this.input = /** @type {HTMLInputElement} */ (byId("search"));
    this.list = byId("search-list");
    /** @type {Entry[]} */
    this.shown = [];
    this.at = -1;
    this.input.addEventListener("focus", () => this.state.watchSoftware());
    this.state.software.onChange(() => this.#look());
    this.input.addEventListener("input", () => this.#look());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.input.addEventListener("blur", () => this.#close());
    this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the box
    addEventListener("keydown", (event) => this.#maybeFocus(event));
  }

  #maybeFocus(/** @type {KeyboardEvent} */ event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input:not([type=radio], [type=range]), textarea, select, [contenteditable], dialog")) return;
    event.preventDefault();
    this.input.focus();
    this.input.select();
  }

  #look() {
    if (document.activeElement !== this.input) return;
    this.shown = matching(entriesOf(this.state), this.input.value);
    this.list.replaceChildren(...this.shown.map((entry, i) => this.#option(entry, i)));
    if (!this.shown.length && this.input.value.trim()) this.list.append(element("li", { class: "nothing", role: "option", "aria-disabled": "true" }, `Nothing here is called “${this.input.value.trim()}”.`));
    this.list.hidden = !this.input.value.trim();
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.#mark(this.shown.length ? 0 : -1);
  }

  #option(/** @type {Entry} */ entry, /** @type {number} */ i) {
    const option = element(
      "li",
      { role: "option", id: `search-${i}`, "data-kind": entry.kind, click: () => this.#take(entry) },
      element("span", { class: "search-kind" }, entry.kind),
      element("strong", {}, entry.title),
      element("span", { class: "search-detail" }, entry.detail),
    );
    return option;
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const last = this.shown.length - 1;
    if (event.key === "ArrowDown" && this.list.hidden) this.#look();
    else if (event.key === "ArrowDown") this.#mark(this.at >= last ? 0 : this.at + 1);
    else if (event.key === "ArrowUp") this.#mark(this.at <= 0 ? last : this.at - 1);
    else if (event.key === "Enter" && this.shown[this.at] && !this.list.hidden) this.#take(this.shown[this.at]);
    else if (event.key === "Escape" && this.input.value) this.#clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #mark(/** @type {number} */ at) {
    this.at = at;
    [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = this.list.children[at];
    if (option && this.shown.length) {
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  #take(/** @type {Entry} */ entry) {
    this.input.value = "";
    this.input.blur();
    this.choose(entry);
  }

  #clear() {
    this.input.value = "";
    this.#close();
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
