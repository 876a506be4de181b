/**
 * Which column of an answer names places, of which kind, and what they are coloured by: by what its values are known
 * as, else by its name; the reader may pick otherwise.
 */

import { differing, figureColumn, foldOf, ROWS } from "./answer_values.js";
import { kindOf } from "./console_table.js";
import { KINDS } from "./place_index.js";

/** @typedef {import("./answer_values.js").Column} Column */
/** @typedef {import("./answer_values.js").Held} Held */
/** @typedef {{place: number, kind: string, value: number, fold: import("./answer_values.js").Fold}} MapChoice */

const LOOKED = 300; // different values of a column

/** @param {Column[]} columns @param {Held[]} rows @param {import("./place_index.js").PlaceIndex} index @returns {MapChoice} */
export function placed(columns, rows, index) {
  const found = columns.map((_, at) => ({ at, ...kindIn(columns, rows, index, at) }));
  const place = found.reduce((best, each) => (each.share > best.share ? each : best));
  const value = valueColumn(columns, rows, place.at);
  return { place: place.at, kind: place.kind, value, fold: foldOf(columns, value) };
}

/** What kind of places a column names best. @param {Column[]} columns @param {Held[]} rows @param {import("./place_index.js").PlaceIndex} index @param {number} at */
export function kindIn(columns, rows, index, at) {
  const values = [...new Set(rows.map(({ cells }) => cells[at]))].filter((value) => value !== null).slice(0, LOOKED);
  const shares = KINDS.map(([kind]) => {
    const known = values.filter((value) => index.spot(kind, value)).length;
    const isNamed = columns[at].name === kind || columns[at].name.endsWith(`_${kind}`);
    return { kind, share: (values.length ? known / values.length : 0) + (isNamed ? 0.01 : 0) };
  });
  return shares.reduce((best, each) => (each.share > best.share ? each : best));
}

/** Figures before what is or is not, that before texts, of which those that differ least. @param {Column[]} columns @param {Held[]} rows @param {number} place */
function valueColumn(columns, rows, place) {
  const figure = figureColumn(columns, [place]);
  if (figure !== ROWS) return figure;
  const isSaid = columns.findIndex(({ type }) => type.toUpperCase() === "BOOLEAN");
  if (isSaid >= 0) return isSaid;
  const texts = columns.flatMap(({ type }, at) => (at !== place && kindOf(type) === "text" ? [{ at, size: differing(rows, at, LOOKED) }] : []));
  return texts.length ? texts.reduce((best, each) => (each.size < best.size ? each : best)).at : ROWS;
}
