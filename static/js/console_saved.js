/** Queries that were saved: one's own, and those that others share. */

import { ask } from "./ask.js";
import { byId, element, setText } from "./dom.js";

/** @typedef {{id: string, of: string, name: string, text: string, language: import("./console_editor.js").Language, shared: boolean, mine: boolean, changes: boolean}} Saved */

const NAMELESS = "Give the query a name that can be seen, then save it.";

export class SavedList {
  /** @param {(saved: Saved) => void} take put one into the editor @param {() => {text: string, language: string}} asked what is in it */
  constructor(take, asked) {
    this.take = take;
    this.asked = asked;
    this.form = /** @type {HTMLFormElement} */ (byId("save"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#keep();
    });
  }

  /** Save what is in the editor; one of the name is replaced when that is agreed to, and stays shared. */
  async #keep() {
    const said = new FormData(this.form);
    const name = String(said.get("name")).trim();
    const body = { ...this.asked(), name, ...(said.has("shared") ? { shared: true } : {}) };
    if (!name) return setText(byId("save-problem"), NAMELESS);
    try {
      const { saved } = await ask("/api/saved");
      const before = saved.find((/** @type {Saved} */ each) => each.mine && each.name === name);
      const asking = `You keep a query ${name} already${before?.shared ? ", which others see" : ""}. Replace it?`;
      if (!before || confirm(asking)) await this.#send("POST", "/api/saved", body);
    } catch (error) {
      setText(byId("save-problem"), /** @type {Error} */ (error).message);
    }
  }

  async look() {
    const { saved } = await ask("/api/saved").catch(() => ({ saved: [] }));
    const items = saved.map((/** @type {Saved} */ each) => this.#item(each));
    byId("saved").replaceChildren(...(items.length ? items : [element("li", { class: "note" }, "None yet.")]));
  }

  #item(/** @type {Saved} */ saved) {
    const { id, name, of, mine, shared, changes, text } = saved;
    const path = `/api/saved/${encodeURIComponent(id)}`;
    const told = mine ? (shared ? "shared" : "yours alone") : `by ${of}`;
    const acts = changes ? [
      element("button", { type: "button", class: "link", "aria-label": `${shared ? "Keep" : "Share"} ${name}`, click: () => this.#send("PATCH", path, { shared: !shared }) }, shared ? "Keep" : "Share"),
      element("button", { type: "button", class: "link", "aria-label": `Remove ${name}`, click: () => this.#remove(path, name) }, "Remove"),
    ] : [];
    return element("li", {}, element("button", { type: "button", class: "asked", title: text, click: () => this.take(saved) }, name), element("small", {}, told), ...acts);
  }

  #remove(/** @type {string} */ path, /** @type {string} */ name) {
    if (confirm(`Remove the saved query ${name}?`)) this.#send("DELETE", path);
  }

  async #send(/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ body) {
    const how = { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) };
    const problem = await ask(path, how).then(() => "", (error) => /** @type {Error} */ (error).message);
    setText(byId("save-problem"), problem);
    if (!problem && method === "POST") this.form.reset();
    await this.look();
  }
}
