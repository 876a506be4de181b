/**
 * What can be looked for: rooms, desks, machines, programs, equipment, doors, ways in and between floors. No people.
 *
 * An entry matches when every word that was typed begins one of its words.
 */

import { plural } from "./format.js";

/** @typedef {{kind: string, id: string, title: string, detail: string, words: string[]}} Entry */

const KINDS = ["room", "program", "equipment", "machine", "desk", "place", "door"];
const MOST = 10;
const order = new Intl.Collator("en", { numeric: true });

/** @param {import("./state.js").State} state @returns {Entry[]} */
export function entriesOf(state) {
  const { building } = state;
  const rooms = [...building.rooms.values()].map((room) => entry("room", room.id, room.name, `${room.id} · ${room.kind} · floor ${room.floor}`));
  const desks = [...building.desks.values()].flatMap((desk) => {
    const where = `${building.rooms.get(desk.room)?.name ?? desk.room} · floor ${desk.floor}`;
    const machine = desk.machine ? [entry("machine", desk.id, desk.machine.name, `desk ${desk.id} · ${where}`)] : [];
    return [entry("desk", desk.id, desk.id, where), ...machine];
  });
  const places = [...building.places].map(([id, place]) => entry("place", id, place.name, `${place.kind} · floor ${place.floor}`));
  const doors = state.doors.rows().map((door) => entry("door", String(door.door), String(door.name ?? door.door), `${door.kind} door · floor ${door.floor}`));
  return [...rooms, ...desks, ...places, ...doors, ...programs(state), ...equipment(state)];
}

/** @param {import("./state.js").State} state */
function programs(state) {
  const rows = state.software.rows();
  return counted(rows.map((row) => String(row.package))).map(([name, count]) => entry("program", name, name, `on ${plural(count, "machine")}`));
}

/** @param {import("./state.js").State} state */
function equipment(state) {
  const rows = state.equipment.rows();
  return counted(rows.map((row) => String(row.item))).map(([name, count]) => entry("equipment", name, name, `in ${plural(count, "room")}`));
}

/** The entries that match best. @param {Entry[]} entries @param {string} typed @returns {Entry[]} */
export function matching(entries, typed) {
  const sought = wordsOf(typed);
  if (!sought.length) return [];
  const found = entries.filter((each) => sought.every((word) => each.words.some((own) => own.startsWith(word))));
  const score = (/** @type {Entry} */ each) => (startsWith(each.title, typed) ? 0 : sought.every((word) => wordsOf(each.title).some((own) => own.startsWith(word))) ? 1 : 2);
  const scored = found.map((each) => ({ each, by: [score(each), KINDS.indexOf(each.kind)] }));
  scored.sort((a, b) => a.by[0] - b.by[0] || a.by[1] - b.by[1] || order.compare(a.each.title, b.each.title));
  return scored.slice(0, MOST).map(({ each }) => each);
}

/** @param {string} kind @param {string} id @param {string} title @param {string} detail @returns {Entry} */
function entry(kind, id, title, detail) {
  return { kind, id, title, detail, words: wordsOf(`${title} ${detail} ${kind}`) };
}

/** Words without accents in small letters, each also from behind its dots and hyphens on. @param {string} text */
function wordsOf(text) {
  const words = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().split(/[\s·,]+/).filter(Boolean);
  return [...new Set(words.flatMap((word) => [word, ...word.split(/[-.]/).filter(Boolean)]))];
}

/** @param {string} title @param {string} typed */
function startsWith(title, typed) {
  return title.toLowerCase().startsWith(typed.trim().toLowerCase());
}

/** @param {string[]} names @returns {[string, number][]} */
function counted(names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
}
