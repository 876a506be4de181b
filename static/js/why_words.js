/** What an answer to *why* says, as words: rows that a row stands on, and what is missing for one that is not there. */

import { momentWords, valueText } from "./format.js";

/** @typedef {{relation: string, row: any[], site?: string, columns?: {name: string, type: string}[], of?: string[], totals_of?: string, parts?: {relation: string, known: Record<string, any>}[], came?: number, topic?: string}} BaseRow */
/** @typedef {{reason: string, of: string, wanted: Record<string, any>, found: any[][], condition: string, by: BaseRow[]}} Gap */
/** @typedef {Map<string, {name: string, type: string}[]>} Shapes the columns of relations */

const SHOWN = 5;

/** A row in lines: where it is from, its values under their names, and when it came. @param {BaseRow} row @param {Shapes} shapes @returns {string[]} */
export function rowLines(row, shapes) {
  return [...valueLines(row, shapes), ...(row.came === undefined ? [] : [`came ${momentWords(row.came, Date.now() * 1000)}${row.topic ? ` on ${row.topic}` : ""}`])];
}

/** @param {BaseRow} row @param {Shapes} shapes @returns {string[]} */
function valueLines(row, shapes) {
  const columns = row.columns ?? shapes.get(row.relation);
  const values = row.row.map((value, at) => (columns?.[at] ? `${columns[at].name} ${valueText(value, columns[at].type)}` : valueText(value, "")));
  if (row.totals_of) return [`totals of ${row.totals_of}`, ...values];
  if (!row.of) return [row.site ? `${row.relation}, from ${row.site}` : row.relation, ...values];
  const parts = (row.parts ?? []).map(({ relation, known }) => `${relation}: ${pairs(known)}`);
  return [`computed by ${row.site}, from ${row.of.join(" and ")}`, ...(parts.length ? parts : values)];
}

/** @param {BaseRow} row @param {Shapes} shapes */
export function rowWords(row, shapes) {
  const [name, ...values] = rowLines(row, shapes);
  return `${name}: ${values.join(", ")}`;
}

/** @param {Gap} gap @param {Shapes} shapes */
export function gapWords({ reason, of, wanted, found, condition, by }, shapes) {
  const values = pairs(wanted);
  const what = by.length ? `${reason} by ${by.slice(0, SHOWN).map((row) => rowWords(row, shapes)).join("; ")}${by.length > SHOWN ? "; …" : ""}` : reason === "cut off" ? `cut off with ${values}` : values ? `${reason} of ${of} with ${values}` : `${reason}: ${of}`;
  const there = found.length && !by.length ? `; found ${found.slice(0, SHOWN).map((row) => row.map((value) => valueText(value, "")).join(", ")).join("; ")}` : "";
  return `${what}${condition ? `: ${condition}` : ""}${there}`;
}

/** @param {Record<string, any>} values */
const pairs = (values) => Object.entries(values).map(([name, value]) => `${name} ${valueText(value, "")}`).join(", ");
