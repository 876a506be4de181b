/**
 * What the rooms of the plan are coloured by.
 *
 *     value of a room → its class, by limits → colour, and the value in words
 *
 * A class is a colour of the style sheet (--shade-n of the layer); the value stands in the room where it fits
 * and in the room's name for who cannot see it, so nothing is said by colour alone.
 */

import { amount, hourAndMinute, power } from "./format.js";

/** @typedef {import("./building.js").Room} Room */
/** @typedef {import("./state.js").State} State */
/** @typedef {{shade: number | null, text: string}} Shown */
/** @typedef {{id: string, name: string, note: string, classes: string[], of: (room: Room, state: State) => Shown}} Layer */

const NOTHING = { shade: null, text: "" };
const HOUR = 3_600_000_000; // microseconds

/** @type {Layer} */
const occupancy = {
  id: "occupancy",
  name: "Occupancy",
  note: "",
  classes: [],
  of: (room, state) =>
    room.desks.length && state.free.has(room.id) ? { shade: null, text: `${state.freeDesks(room)} / ${room.desks.length} free` } : NOTHING,
};

/** @type {Layer} */
const reservations = {
  id: "reservations",
  name: "Reservations",
  note: "By the timetable, four hours ahead.",
  classes: ["reserved now", "reserved within the hour", "reserved later", "nothing ahead"],
  of(room, state) {
    const now = state.reserved.all(room.id);
    if (now.length) return { shade: 0, text: now[0].ends ? `until ${hourAndMinute(now[0].ends)}` : "reserved" };
    const coming = state.coming.all(room.id).map((row) => momentOf(row.starts)).sort((a, b) => a - b);
    if (!coming.length) return state.reserved.tick === null ? NOTHING : { shade: 3, text: "" };
    return { shade: coming[0] - state.at <= HOUR ? 1 : 2, text: `from ${hourAndMinute(coming[0])}` };
  },
};

/** @type {Layer[]} in the order in which they are offered */
export const LAYERS = [
  occupancy,
  scaled("light", "Light", "Measured at the ceiling; under 60 lx the lamps are off.", [60, 200, 400, 700], (text) => `${text} lx`, (room, state) => {
    const lux = state.light.get(room.id)?.lux;
    return [lux, amount(lux, "lx")];
  }),
  reservations,
  scaled("temperature", "Temperature", "", [18, 20, 22, 24, 26], (text) => `${text} °C`, (room, state) => {
    const celsius = state.temperature.get(room.id)?.celsius;
    return [celsius, amount(celsius, "°C", 1)];
  }),
  scaled("energy", "Energy", "What the machines of a room draw together.", [100, 300, 1000, 3000], (text) => `${text} W`, (room, state) => {
    const watts = state.power.get(room.id)?.watts;
    return [watts, power(watts)];
  }),
];

/** @param {string} id @returns {Layer} the default where there is none of that name */
export const layerOf = (id) => LAYERS.find((layer) => layer.id === id) ?? LAYERS[0];

/** What a list says of a room in a layer, beside why it is closed. @param {Layer} layer @param {Room} room @param {State} state */
export function wordsOf(layer, room, state) {
  return layer === occupancy ? "" : layer.of(room, state).text;
}

/** How many people a floor has, or all of the building, in words. @param {State} state @param {number} [floor] */
export function peopleOn(state, floor) {
  const count = state.peopleCount(floor);
  return `${count} ${count === "1" ? "person" : "people"}`;
}

/**
 * @param {string} id @param {string} name @param {string} note
 * @param {number[]} limits where a class ends and the next begins
 * @param {(text: string) => string} withUnit
 * @param {(room: Room, state: State) => [unknown, string]} read the value, and in words
 * @returns {Layer}
 */
function scaled(id, name, note, limits, withUnit, read) {
  const between = limits.slice(1).map((limit, i) => withUnit(`${limits[i]} – ${limit}`));
  const classes = [`under ${withUnit(String(limits[0]))}`, ...between, `${withUnit(String(limits.at(-1)))} and more`];
  /** @param {Room} room @param {State} state */
  const of = (room, state) => {
    const [value, text] = read(room, state);
    if (typeof value !== "number" || !Number.isFinite(value)) return NOTHING;
    return { shade: limits.filter((limit) => value >= limit).length, text };
  };
  return { id, name, note, classes, of };
}

/** @param {unknown} moment ISO 8601 or microseconds */
function momentOf(moment) {
  return typeof moment === "number" ? moment : Date.parse(String(moment)) * 1000;
}
