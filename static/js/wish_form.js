/** What somebody looks for, chosen: kind, software, equipment or a name; without steps; how fast. Every choice is carried out at once. */

import { byId, element } from "./dom.js";
import { calledOf as roomCalled } from "./goal.js";
import { KINDS } from "./wish.js";

const MOST = 8;
const PACE_WORDS = { slow: "slowly", normal: "as usual", fast: "fast" };

/** @typedef {{kinds?: string[], software?: string[], equipment?: string[], rooms?: {id: string, name: string}[]}} Wishes */

export class WishForm {
  /** @param {HTMLElement} where @param {import("./way.js").Way} way */
  constructor(where, way) {
    this.where = where;
    this.way = way;
    /** @type {Wishes} */
    this.wishes = {};
    this.sought = "";
    way.onChange(() => this.#mark());
  }

  /** Offer what there is; where the server does not say, there is nothing to choose. */
  async start() {
    const answer = await fetch("/api/ways/wishes").catch(() => null);
    if (!answer?.ok) return;
    this.wishes = await answer.json();
    if (!this.wishes.kinds?.length) return;
    this.paint();
    byId("way-wish").hidden = false;
    this.way.view.isShared = true;
    await this.way.lookFor({});
  }

  paint() {
    const { wish } = this.way;
    const { software = [], equipment = [] } = this.wishes;
    const kinds = /** @type {import("./wish.js").Kind[]} */ (this.wishes.kinds ?? ["machine"]);
    const focused = document.activeElement?.getAttribute("data-choice");
    this.where.replaceChildren(
      this.#choice("What", "kind", kinds.map((kind) => [kind, KINDS[kind] ?? kind]), wish.kind),
      ...(wish.kind === "machine" && software.length ? [this.#choice("With", "software", either(software), wish.software)] : []),
      ...(wish.kind !== "to" && equipment.length ? [this.#choice("In a room with", "equipment", either(equipment), wish.equipment)] : []),
      ...(wish.kind === "to" ? [this.#search()] : []),
      this.#stepFree(),
      this.#paces(),
    );
    if (focused) /** @type {HTMLElement | null} */ (this.where.querySelector(`[data-choice="${CSS.escape(focused)}"]`))?.focus();
  }

  /** Radio buttons in the looks of a row of keys. @param {string} legend @param {string} name @param {string[][]} choices @param {string} chosen */
  #choice(legend, name, choices, chosen, act = (/** @type {string} */ value) => this.#want({ [name]: value })) {
    const items = choices.map(([value, text]) => {
      const change = () => act(value);
      const input = element("input", { type: "radio", name: `wish-${name}`, value, checked: value === chosen, change, "data-choice": `${name} ${value}` });
      return element("label", { class: "choice" }, input, element("span", {}, text));
    });
    return element("fieldset", { class: "choices", "data-of": name }, element("legend", {}, legend), ...items);
  }

  #stepFree() {
    const change = (/** @type {Event} */ event) => this.#want({ step_free: /** @type {HTMLInputElement} */ (event.target).checked });
    const input = element("input", { type: "checkbox", checked: this.way.wish.step_free, change, "data-choice": "step_free" });
    return element("fieldset", { class: "choices" }, element("legend", {}, "Way"), element("label", { class: "choice" }, input, element("span", {}, "without steps")));
  }

  #paces() {
    const walk = (/** @type {string} */ pace) => this.way.walk(/** @type {import("./wish.js").Pace} */ (pace));
    return this.#choice("Walking", "pace", Object.entries(PACE_WORDS), this.way.pace, walk);
  }

  #search() {
    const list = element("ul", { class: "finds", "aria-label": "Found" });
    const input = /** @type {HTMLInputElement} */ (
      element("input", { type: "search", id: "wish-to", autocomplete: "off", placeholder: "Room, desk or machine", "data-choice": "to" })
    );
    input.value = this.sought;
    const fill = () => {
      this.sought = input.value;
      list.replaceChildren(...this.#found(input.value).map(([id, name]) => this.#find(id, name)));
    };
    input.addEventListener("input", fill);
    fill();
    return element("div", { class: "wish-search" }, element("label", { for: "wish-to" }, "Room or thing"), input, list);
  }

  #find(/** @type {string} */ id, /** @type {string} */ name) {
    const click = () => this.#want({ to: id });
    return element("li", {}, element("button", { type: "button", class: "find", click, "aria-pressed": String(id === this.way.wish.to), "data-choice": `to ${id}` }, name));
  }

  /** @param {string} text @returns {[string, string][]} id and name */
  #found(text) {
    const { building } = this.way.ground;
    const sought = text.trim().toLowerCase();
    /** @type {[string, string][]} */
    const rooms = [...building.rooms.values()].map((room) => [room.id, roomCalled(room)]);
    /** @type {[string, string][]} */
    const things = sought ? [...[...building.machines.values()].map((m) => /** @type {[string, string]} */ ([m.id, m.name])), ...[...building.desks.keys()].map((id) => /** @type {[string, string]} */ ([id, `Desk ${id}`]))] : [];
    const named = sought ? rooms : rooms.filter(([id]) => building.rooms.get(id)?.called !== id);
    return [...named, ...things].filter(([, name]) => name.toLowerCase().includes(sought)).slice(0, MOST);
  }

  #want(/** @type {Partial<import("./wish.js").Wish>} */ wish) {
    if (this.way.hold.id) this.way.hold.end("cancelled");
    this.way.lookFor(wish);
    this.paint();
  }

  /** A wish may come from elsewhere: a room that was touched, a kiosk that begins again. */
  #mark() {
    const said = JSON.stringify([this.way.wish, this.way.pace]);
    if (said === this.said || !this.wishes.kinds?.length) return;
    this.said = said;
    this.paint();
  }
}

/** @param {string[]} names @returns {string[][]} */
const either = (names) => [["", "anything"], ...names.map((name) => [name, name])];
