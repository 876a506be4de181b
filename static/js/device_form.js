/** What people say of a device: its name, its room and desk, whether it counts; or that it be forgotten. */

import { post } from "./ask.js";
import { byId, element } from "./dom.js";

/** @typedef {import("./table.js").Row} Row */

export class DeviceForm {
  /** @param {import("./building.js").Building} building */
  constructor(building) {
    this.building = building;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("device"));
    this.device = "";
    this.name = /** @type {HTMLInputElement} */ (element("input", { name: "name", maxlength: "200", autocomplete: "off" }));
    this.room = /** @type {HTMLSelectElement} */ (element("select", { name: "room", change: () => this.#listDesks("") }));
    this.desk = /** @type {HTMLSelectElement} */ (element("select", { name: "desk" }));
    this.disabled = /** @type {HTMLInputElement} */ (element("input", { name: "disabled", type: "checkbox" }));
    this.title = element("h2", { id: "device-title" });
    this.about = element("p", { class: "note" });
    this.problem = element("p", { class: "problem", role: "alert" });
    this.forget = element("button", { type: "button", class: "forget", click: () => this.#forget() });
    const form = element("form", { submit: (event) => this.#save(event) }, ...this.#parts());
    this.dialog.append(form);
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {Row} device */
  open(device) {
    this.device = String(device.device);
    this.title.textContent = String(device.name || device.device);
    this.about.textContent = [device.device, device.maker, device.model].filter(Boolean).join(" · ");
    this.problem.textContent = "";
    this.name.value = String(device.name ?? "");
    this.before = this.name.value;
    this.disabled.checked = device.disabled === true;
    this.#listRooms(String(device.room ?? ""));
    this.#listDesks(String(device.desk ?? ""));
    this.#ask(false);
    this.dialog.showModal();
  }

  #parts() {
    const label = (/** @type {string} */ text, /** @type {HTMLElement} */ field) => element("label", {}, element("span", {}, text), field);
    const close = element("button", { type: "button", class: "plain", click: () => this.dialog.close() }, "Cancel");
    return [
      this.title,
      this.about,
      label("Name", this.name),
      label("Room", this.room),
      label("Desk", this.desk),
      element("label", { class: "check" }, this.disabled, element("span", {}, "Disabled: what it says is left out")),
      this.problem,
      element("div", { class: "device-acts" }, this.forget, close, element("button", { class: "act" }, "Save")),
    ];
  }

  #listRooms(/** @type {string} */ chosen) {
    const known = this.building.rooms.has(chosen);
    const groups = this.building.floors.map((floor) =>
      element("optgroup", { label: floor.label }, ...floor.rooms.map((room) => option(room.id, room.name === room.id ? room.id : `${room.id} ${room.name}`))),
    );
    const other = chosen && !known ? [option(chosen, `${chosen} (not a room of this building)`)] : [];
    this.room.replaceChildren(option("", "no room"), ...other, ...groups);
    this.room.value = chosen;
    this.roomBefore = chosen;
  }

  #listDesks(/** @type {string} */ chosen) {
    const desks = this.building.rooms.get(this.room.value)?.desks ?? [];
    this.desk.replaceChildren(option("", desks.length ? "no desk" : "–"), ...desks.map((desk) => option(desk.id, desk.id)));
    this.desk.value = desks.some((desk) => desk.id === chosen) ? chosen : "";
    this.desk.disabled = !desks.length;
    this.deskBefore = this.desk.value;
  }

  #save(/** @type {Event} */ event) {
    event.preventDefault();
    /** @type {Record<string, string | boolean | null>} */
    const words = { disabled: this.disabled.checked };
    if (this.name.value !== this.before) words.name = this.name.value || null;
    if (this.room.value !== this.roomBefore) words.room = this.room.value || null;
    if (this.desk.value) words.desk = this.desk.value;
    else if (this.room.value && this.building.rooms.has(this.room.value)) words.desk = null;
    this.#say(words);
  }

  #forget() {
    if (this.forget.dataset.sure === "true") this.#say({ forgotten: true });
    else this.#ask(true);
  }

  #ask(/** @type {boolean} */ sure) {
    this.forget.dataset.sure = String(sure);
    this.forget.textContent = sure ? "Really forget it" : "Forget";
    if (sure) this.problem.textContent = "It leaves every list; should it announce itself again, it is a new device.";
  }

  async #say(/** @type {Record<string, string | boolean | null>} */ words) {
    this.problem.textContent = "";
    try {
      await post("/api/devices", { device: this.device, ...words });
      this.dialog.close();
    } catch (error) {
      this.problem.textContent = /** @type {Error} */ (error).message;
    }
  }
}

/** @param {string} value @param {string} text */
function option(value, text) {
  return element("option", { value }, text);
}
