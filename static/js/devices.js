/** The page of devices: all that are known, as they come, change and go. */

import { Building } from "./building.js";
import { DeviceForm } from "./device_form.js";
import { DeviceRow } from "./device_row.js";
import { byId, element, oncePerFrame, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { plural } from "./format.js";
import { showFreshness } from "./header.js";

const inOrder = new Intl.Collator("en", { numeric: true });
/** @type {[string, string, (row: DeviceRow) => boolean][]} */
const KINDS = [
  ["all", "All", () => true],
  ["homeless", "Without a room", ({ device }) => !device.room],
  ["silent", "Not online", ({ device, status }) => !device.disabled && status !== "online"],
  ["disabled", "Disabled", ({ device }) => device.disabled === true],
];

class Devices {
  /** @param {Building} building */
  constructor(building) {
    this.building = building;
    this.feed = new Feed();
    this.known = this.feed.table("known_devices", "device");
    this.values = this.feed.table("device_values", "device");
    this.form = new DeviceForm(building);
    /** @type {Map<string, DeviceRow>} */
    this.rows = new Map();
    /** @type {Set<string>} */
    this.changed = new Set();
    this.kind = "all";
    this.search = /** @type {HTMLInputElement} */ (byId("search"));
    this.tallies = new Map(KINDS.map(([kind]) => [kind, element("span", { class: "tally" })]));
    const paint = oncePerFrame(() => this.#paint());
    for (const table of [this.known, this.values]) {
      table.onChange((devices) => {
        for (const device of devices) this.changed.add(device);
        paint();
      });
    }
    this.search.addEventListener("input", paint);
    byId("kinds").append(...KINDS.map(([kind, text]) => this.#choice(kind, text, paint)));
    showFreshness(this.feed, "list");
    setInterval(() => this.rows.forEach((row) => row.look(this.feed.at)), 1000);
  }

  #choice(/** @type {string} */ kind, /** @type {string} */ text, /** @type {() => void} */ paint) {
    const choose = () => {
      this.kind = kind;
      paint();
    };
    const input = element("input", { type: "radio", name: "kind", value: kind, checked: kind === this.kind, change: choose });
    return element("label", {}, input, element("span", {}, text, " ", /** @type {HTMLElement} */ (this.tallies.get(kind))));
  }

  #paint() {
    for (const device of this.changed) this.#take(device);
    this.changed.clear();
    const devices = [...this.rows.values()];
    for (const [kind, , isOf] of KINDS) setText(/** @type {HTMLElement} */ (this.tallies.get(kind)), String(devices.filter(isOf).length));
    const shown = devices.filter((row) => this.#isShown(row));
    shown.sort((a, b) => inOrder.compare(nameOf(a), nameOf(b)));
    inPlace(byId("devices"), shown.map((row) => row.where));
    setText(byId("devices-count"), devices.length === shown.length ? plural(shown.length, "device") : `${shown.length} of ${plural(devices.length, "device")}`);
    byId("nothing").hidden = shown.length > 0;
    setText(byId("nothing"), devices.length ? "None of the known devices is like that." : "No device has announced itself yet. One that speaks MQTT discovery appears here by itself.");
    if (this.known.tick !== null) document.documentElement.dataset.ready = "true";
  }

  #take(/** @type {string} */ device) {
    const known = this.known.get(device);
    if (!known) {
      this.rows.delete(device);
      return;
    }
    const row = this.rows.get(device) ?? this.#row(device);
    row.show(known, this.values.all(device), this.feed.at);
  }

  #row(/** @type {string} */ device) {
    const row = new DeviceRow(this.building, () => this.form.open(row.device));
    row.where.addEventListener("again", () => this.#take(device));
    this.rows.set(device, row);
    return row;
  }

  #isShown(/** @type {DeviceRow} */ row) {
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const isOf = KINDS.find(([kind]) => kind === this.kind)?.[2];
    return isOf?.(row) && words.every((word) => row.words.includes(word));
  }
}

/** @param {DeviceRow} row */
const nameOf = (row) => `${row.device.name || row.device.device}\u0001${row.device.device}`;

/** Put these children into a place, moving only those that are elsewhere, so that what has the focus keeps it. @param {HTMLElement} where @param {HTMLElement[]} wanted */
function inPlace(where, wanted) {
  const kept = new Set(wanted);
  for (const child of [...where.children]) if (!kept.has(/** @type {HTMLElement} */ (child))) child.remove();
  wanted.forEach((child, at) => {
    if (where.children[at] !== child) where.insertBefore(child, where.children[at] ?? null);
  });
}

try {
  new Devices(await Building.fetch()).feed.start();
} catch (error) {
  byId("banner-text").textContent = `The list could not be made: ${/** @type {Error} */ (error).message}`;
  byId("banner").hidden = false;
  throw error;
}
