/** What the pane says of a door, and the button by which an operator turns it. */

import { post } from "./ask.js";
import { element } from "./dom.js";
import { stateOf } from "./doors.js";

export class DoorPane {
  /** @param {() => void} repaint @param {boolean} mayTurn */
  constructor(repaint, mayTurn) {
    this.repaint = repaint;
    this.mayTurn = mayTurn;
    this.door = "";
    this.waits = false;
    this.problem = "";
  }

  /** @param {import("./table.js").Row} row @returns {(Node | null)[]} */
  parts(row) {
    if (row.door !== this.door) Object.assign(this, { door: row.door, waits: false, problem: "" });
    const chip = element("span", { class: "chip", "data-chip": stateOf(row) }, stateOf(row));
    return [
      element("p", { class: "chips" }, chip),
      this.mayTurn ? this.#button(row) : null,
      this.problem ? element("p", { class: "note problem", role: "alert" }, this.problem) : null,
    ];
  }

  #button(/** @type {import("./table.js").Row} */ row) {
    const wanted = row.open ? "closed" : "open";
    const text = row.open ? "Close this door" : "Open this door";
    const attributes = { type: "button", class: "act", "data-focus": "turn", "aria-disabled": String(this.waits) };
    const click = () => this.waits || this.#turn(wanted);
    return element("button", { ...attributes, click }, this.waits ? "Telling the door …" : text);
  }

  async #turn(/** @type {string} */ state) {
    const { door } = this;
    Object.assign(this, { waits: true, problem: "" });
    this.repaint();
    const problem = await turned(door, state);
    if (door === this.door) Object.assign(this, { waits: false, problem });
    this.repaint();
  }
}

/** @param {string} door @param {string} state @returns {Promise<string>} what went wrong, or nothing */
const turned = (door, state) =>
  post(`/api/doors/${encodeURIComponent(door)}`, { state }).then(() => "", (error) => /** @type {Error} */ (error).message);
