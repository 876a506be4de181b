/**
 * What is looked at, as the address has it; a copied address shows the same to whoever may see it.
 *
 *     #2/2.01?desk=2.01-d07&layer=temperature&at=2026-11-18T14:05:00Z
 *     #floor/room?…     each part only where there is something to say; an address that says nothing is the default
 */

/** @typedef {{floor: number | null, room: string, desk: string, door: string, layer: string, at: number, find: string}} Looked
 *  `floor` is null where none is said, since a floor may be 0; `at` is a moment in microseconds, 0 for now; `find` what is marked on the plan */

/** @param {string} hash of an address @returns {Looked} */
export function readAddress(hash) {
  const [path, query = ""] = splitOnce(hash.replace(/^#/, ""), "?");
  const [floor, room = ""] = splitOnce(path, "/");
  const said = new URLSearchParams(query);
  const at = Date.parse(said.get("at") ?? "");
  return {
    floor: floor === "" || Number.isNaN(Number(floor)) ? null : Number(floor),
    room: decoded(room),
    desk: said.get("desk") ?? "",
    door: said.get("door") ?? "",
    layer: said.get("layer") ?? "",
    at: Number.isNaN(at) ? 0 : at * 1000,
    find: said.get("find") ?? "",
  };
}

/** @param {Looked} looked @returns {string} the hash */
export function toAddress({ floor, room, desk, door, layer, at, find }) {
  const said = new URLSearchParams();
  const moment = at ? new Date(at / 1000).toISOString().replace(/\.000Z$/, "Z") : "";
  for (const [name, value] of Object.entries({ desk, door, layer, at: moment, find })) if (value) said.set(name, value);
  const query = said.toString().replaceAll("%3A", ":");
  return `#${floor ?? ""}${room ? `/${encodeURIComponent(room)}` : ""}${query ? `?${query}` : ""}`;
}

/** @param {string} text @param {string} sign @returns {string[]} */
function splitOnce(text, sign) {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that is no escape
  }
}
