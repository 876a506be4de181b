/** A way handed to a phone: a code to scan, or why there is none. */

import { element } from "./dom.js";
import { sent } from "./hold.js";
import { bodyOf } from "./wish.js";

export class HandOver {
  /** @param {HTMLDialogElement} dialog @param {import("./way.js").Way} way */
  constructor(dialog, way) {
    this.dialog = dialog;
    this.way = way;
    this.where = /** @type {HTMLElement} */ (dialog.querySelector(".hand-body"));
    dialog.querySelector(".hand-close")?.addEventListener("click", () => dialog.close());
  }

  async open() {
    const { wish, start, hold, pace, goal } = this.way;
    this.where.replaceChildren(element("p", {}, "Making the code …"));
    this.dialog.showModal();
    const said = await sent("/api/handovers", "POST", { wish: bodyOf(wish), from: start, hold: hold.id || null, pace });
    this.where.replaceChildren(...(said.error ? [element("p", { class: "hand-none", role: "alert" }, said.error)] : code(said, goal.name)));
  }
}

/** @param {any} said @param {string} name */
function code(said, name) {
  const address = String(said.url);
  return [
    element("img", { class: "hand-code", src: String(said.qr), alt: `Code that opens the way to ${name} on a phone`, width: "280", height: "280" }),
    element("p", {}, "Scan it with your phone's camera. The way goes on there, and changes as the building does."),
    element("p", { class: "note" }, "Good for ten minutes, for this way alone. ", element("a", { href: address }, "Open it here")),
  ];
}
