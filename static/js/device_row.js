/** One device in the list: who it is, its state, where it stands, what it said last. */

import { element, mark, setText } from "./dom.js";
import { age, duration, isOverdue, measured, quantityOf, saidAt } from "./measured.js";

const SHOWN = 6;

/** @typedef {import("./table.js").Row} Row */

export class DeviceRow {
  /** @param {import("./building.js").Building} building @param {() => void} edit */
  constructor(building, edit) {
    this.building = building;
    /** @type {Row} */
    this.device = {};
    /** @type {Row[]} */
    this.values = [];
    this.isOpen = false;
    this.now = 0;
    this.name = element("strong");
    this.kind = element("span", { class: "device-kind" });
    this.state = element("span", { class: "device-state" });
    this.since = element("span", { class: "device-since" });
    this.place = element("p", { class: "device-place" });
    this.list = element("ul", { class: "device-values" });
    this.edit = element("button", { type: "button", class: "device-edit", click: edit }, "Change");
    this.where = element(
      "li",
      {},
      element("div", { class: "device-who" }, this.name, this.kind),
      element("p", { class: "device-is" }, this.state, this.since),
      this.place,
      this.list,
      this.edit,
    );
    /** @type {ValueItem[]} */
    this.ages = [];
    this.many = 0;
  }

  /** @param {Row} device @param {Row[]} values @param {number} now */
  show(device, values, now) {
    this.now = now;
    this.device = device;
    this.values = [...values].sort((a, b) => String(a.entity).localeCompare(String(b.entity), "en", { numeric: true }));
    const name = String(device.name || device.device);
    setText(this.name, name);
    setText(this.kind, [device.maker, device.model, device.origin && `by ${device.origin}`].filter(Boolean).join(" · ") || String(device.device));
    setText(this.place, this.#placeText());
    this.edit.setAttribute("aria-label", `Change ${name}`);
    mark(this.where, { device: String(device.device), disabled: String(device.disabled === true) });
    this.#listValues();
    this.look(now);
  }

  /** @returns {string} */
  get status() {
    const { state } = this.device;
    if (state) return String(state);
    const said = this.values.filter((row) => saidAt(row) !== null); // no state is kept of one that only payloads name
    return !said.length ? "unknown" : said.every((row) => isOverdue(row, this.now)) ? "stale" : "online";
  }

  /** All that somebody may search for. */
  get words() {
    const { device, values } = this;
    const of = [device.name, device.device, device.maker, device.model, device.origin, this.#placeText(), ...values.map(quantityOf)];
    return of.filter(Boolean).join(" ").toLowerCase();
  }

  /** Bring what depends on the time up to date. @param {number} now */
  look(now) {
    this.now = now;
    mark(this.where, { state: this.status });
    setText(this.state, this.device.disabled ? "disabled" : this.status);
    const since = this.device.since ? Date.parse(String(this.device.since)) * 1000 : null;
    const said = Math.max(...this.values.map((row) => saidAt(row) ?? 0));
    const last = said > 0 ? now && `said ${age(said, now)}` : "said nothing yet";
    const isThere = this.status === "online" || since === null || this.device.disabled === true;
    setText(this.since, isThere || !now ? last || "" : `for ${duration(since, now)}, ${last}`);
    for (const value of this.ages) value.look(now);
  }

  #placeText() {
    const { room, desk } = this.device;
    if (!room) return "no room";
    const called = this.building.rooms.get(String(room))?.name;
    const name = called && called !== room ? `${room} ${called}` : String(room);
    return desk ? `${name}, desk ${desk}` : name;
  }

  #listValues() {
    const shown = this.isOpen ? this.values : this.values.slice(0, SHOWN);
    if (shown.length === this.ages.length && this.values.length === this.many) {
      shown.forEach((of, at) => this.ages[at].say(of));
      return;
    }
    this.many = this.values.length;
    this.ages = shown.map((of) => new ValueItem(of));
    const more = this.values.length - SHOWN;
    const toggle = element("button", { type: "button", class: "link", "aria-expanded": String(this.isOpen), click: () => this.#toggle() });
    setText(toggle, this.isOpen ? "fewer" : `and ${more} more`);
    this.list.replaceChildren(...this.ages.map(({ item }) => item), ...(more > 0 ? [element("li", {}, toggle)] : []));
  }

  #toggle() {
    this.isOpen = !this.isOpen;
    this.where.dispatchEvent(new CustomEvent("again"));
    /** @type {HTMLElement | null} */ (this.list.querySelector("button"))?.focus();
  }
}

/** One value of the list. */
class ValueItem {
  /** @param {Row} of */
  constructor(of) {
    this.name = element("span");
    this.value = element("b");
    this.when = element("time");
    this.item = element("li", {}, this.name, this.value, this.when);
    this.say(of);
  }

  /** @param {Row} of */
  say(of) {
    this.of = of;
    setText(this.name, quantityOf(of));
    setText(this.value, measured(of));
  }

  /** @param {number} now */
  look(now) {
    setText(this.when, age(saidAt(this.of), now));
    mark(this.item, { overdue: String(isOverdue(this.of, now)) });
  }
}
