/** Rows laid onto places: the value of each place, and the rows that have none, counted. */

import { folded, givenBy, heap, put, ROWS } from "./answer_values.js";
import { kindOf } from "./console_table.js";
import { valueText } from "./format.js";

/** @typedef {{spot: import("./place_index.js").Spot, value: any, rows: any[][], count: number}} PlacedValue */
/** @typedef {{places: PlacedValue[], areFigures: boolean, without: number, strangers: string[]}} Laid strangers: the first values that are no place */

const NAMED = 3; // strangers

/** @param {import("./answer_values.js").Held[]} rows @param {import("./answer_values.js").Column[]} columns @param {import("./place_choice.js").MapChoice} choice @param {import("./place_index.js").PlaceIndex} index @returns {Laid} */
export function laid(rows, columns, choice, index) {
  /** @type {Map<string, PlacedValue & {held: import("./answer_values.js").Held[]}>} */
  const places = new Map();
  const strangers = new Set();
  let without = 0;
  for (const held of rows) {
    const id = held.cells[choice.place];
    const spot = index.spot(choice.kind, id);
    if (!spot) {
      without += held.count;
      if (strangers.size < NAMED) strangers.add(valueText(id, columns[choice.place].type));
      continue;
    }
    const place = places.get(spot.id) ?? { spot, value: null, rows: [], count: 0, held: [] };
    place.held.push(held);
    place.rows.push(held.cells);
    place.count += held.count;
    places.set(spot.id, place);
  }
  const areFigures = choice.value === ROWS || kindOf(columns[choice.value].type) === "number";
  for (const place of places.values()) place.value = areFigures ? figure(place.held, columns, choice) : text(place.rows, columns, choice);
  return { places: [...places.values()], areFigures, without, strangers: [...strangers] };
}

/** @param {import("./answer_values.js").Held[]} held @param {import("./answer_values.js").Column[]} columns @param {import("./place_choice.js").MapChoice} choice */
function figure(held, columns, { value, fold }) {
  const of = heap();
  for (const { cells, count } of held) {
    const given = givenBy(cells, columns, value);
    if (given !== null) put(of, given, count);
  }
  return folded(of, fold);
}

/** @param {any[][]} rows @param {import("./answer_values.js").Column[]} columns @param {import("./place_choice.js").MapChoice} choice */
function text(rows, columns, { value }) {
  const told = new Set(rows.map((cells) => cells[value]).filter((each) => each !== null).map((each) => valueText(each, columns[value].type)));
  return told.size === 0 ? null : told.size === 1 ? [...told][0] : "several";
}
