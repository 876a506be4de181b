/** The page of the use of space: a stretch and a place are chosen, everything else follows. */

import { Building } from "./building.js";
import { byId, element, setText } from "./dom.js";
import { SpaceEnergy } from "./space_energy.js";
import { SpaceHours } from "./space_hours.js";
import { SpaceRooms } from "./space_rooms.js";
import { SpaceSensors } from "./space_sensors.js";

const AGAIN = 60_000; // milliseconds until what goes on is asked again
const MILLI = 1000;

class Space {
  /** @param {Building} building */
  constructor(building) {
    this.building = building;
    this.period = "today";
    this.place = "";
    this.asked = 0;
    this.select = /** @type {HTMLSelectElement} */ (byId("place"));
    this.isShown = false;
    this.hours = new SpaceHours();
    this.rooms = new SpaceRooms((room) => this.#choosePlace(`room=${room}`));
    this.energy = new SpaceEnergy();
    this.sensors = new SpaceSensors();
    this.#fillPlaces();
    this.#restore();
    this.select.addEventListener("change", () => this.#choosePlace(this.select.value));
    for (const input of document.querySelectorAll("input[name=period]")) input.addEventListener("change", () => this.#choosePeriod(/** @type {HTMLInputElement} */ (input).value));
    for (const id of ["from", "to"]) byId(id).addEventListener("change", () => this.#show());
    setInterval(() => this.#show(), AGAIN);
  }

  start() {
    return this.#show();
  }

  #fillPlaces() {
    const floors = this.building.floors.map(({ floor, label }) => element("option", { value: `floor=${floor}` }, label));
    const rooms = this.building.floors.map(({ label, rooms }) => element("optgroup", { label }, ...rooms.map((room) => element("option", { value: `room=${room.id}` }, room.name === room.id ? room.id : `${room.id} ${room.name}`))));
    this.select.append(element("option", { value: "" }, "All of the building"), element("optgroup", { label: "Floors" }, ...floors), ...rooms);
  }

  /** The address says the period and the place, so that a link leads back to both. */
  #restore() {
    const said = new URLSearchParams(location.hash.slice(1));
    const place = said.has("room") ? `room=${said.get("room")}` : said.has("floor") ? `floor=${said.get("floor")}` : "";
    if ([...this.select.options].some((option) => option.value === place)) this.place = place;
    this.select.value = this.place;
    const today = dateText(new Date());
    date("from").value = said.get("from") ?? today;
    date("to").value = said.get("to") ?? today;
    const chosen = document.querySelector(`input[name=period][value="${CSS.escape(said.get("period") ?? "today")}"]`);
    if (chosen) {
      this.period = /** @type {HTMLInputElement} */ (chosen).value;
      /** @type {HTMLInputElement} */ (chosen).checked = true;
    }
  }

  #remember() {
    const said = new URLSearchParams(this.place);
    said.set("period", this.period);
    if (this.period === "custom") for (const id of ["from", "to"]) said.set(id, date(id).value);
    history.replaceState(null, "", `#${said}`);
  }

  #choosePeriod(/** @type {string} */ period) {
    this.period = period;
    return this.#show();
  }

  #choosePlace(/** @type {string} */ place) {
    this.place = this.select.value = place;
    return this.#show();
  }

  async #show() {
    byId("custom").hidden = this.period !== "custom";
    this.#remember();
    const turn = ++this.asked;
    const { from, to } = this.#stretch();
    if (!(from < to)) {
      document.documentElement.dataset.ready = "true";
      return this.#say("That stretch has not begun yet, or ends before it begins: choose another one.");
    }
    const stretch = `from=${from * MILLI}&to=${to * MILLI}`;
    document.body.setAttribute("aria-busy", "true");
    try {
      const [hours, use, energy, sensors] = await Promise.all([
        answer(`/api/space/hours?${stretch}&${this.place}`), answer(`/api/space/use?${stretch}`), answer(`/api/space/energy?${stretch}`), answer("/api/space/sensors"),
      ]);
      if (turn !== this.asked) return;
      this.#say("");
      this.isShown = true;
      this.hours.show(hours, this.#placeName(), `/api/space/hours?${stretch}&${this.place}&format=csv`);
      this.rooms.show(use, `/api/space/use?${stretch}&format=csv`);
      this.energy.show(energy, hours, this.#placeName(), `/api/space/energy?${stretch}&format=csv`);
      this.sensors.show(sensors);
    } catch (error) {
      if (turn === this.asked) this.#say(/** @type {Error} */ (error).message);
    } finally {
      if (turn === this.asked) {
        document.body.removeAttribute("aria-busy");
        document.documentElement.dataset.ready = "true";
      }
    }
  }

  #say(/** @type {string} */ problem) {
    setText(byId("banner-text"), problem);
    byId("banner").hidden = problem === "";
    if (problem && !this.isShown) for (const id of ["hours-words", "energy-words"]) setText(byId(id), "The past could not be read.");
  }

  #placeName() {
    return this.select.selectedOptions[0]?.textContent ?? "All of the building";
  }

  /** From a midnight here up to now, or up to the midnight after the last day. @returns {{from: number, to: number}} */
  #stretch() {
    const now = Date.now();
    if (this.period === "custom") return { from: midnight(date("from").value, 0), to: Math.min(midnight(date("to").value, 1), now) };
    const days = this.period === "today" ? 0 : Number(this.period) - 1;
    return { from: midnight(dateText(new Date()), -days), to: now };
  }
}

/** @param {string} id */
const date = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @param {Date} day */
const dateText = (day) => `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;

/** @param {string} text a date @param {number} days after it @returns {number} milliseconds; NaN where it is none */
function midnight(text, days) {
  const [year, month, day] = text.split("-").map(Number);
  return new Date(year, month - 1, day + days).getTime();
}

/** @param {string} path */
async function answer(path) {
  const found = await fetch(path).catch(() => null);
  if (!found) throw new Error("The server cannot be reached; the page asks again each minute.");
  const body = await found.json().catch(() => ({}));
  if (!found.ok) throw new Error(body.error ?? `The server answered ${found.status}.`);
  return body;
}

try {
  await new Space(await Building.fetch()).start();
} catch (error) {
  byId("banner-text").textContent = `The page could not be made: ${/** @type {Error} */ (error).message}`;
  byId("banner").hidden = false;
  throw error;
}
