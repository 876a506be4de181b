/** What a way leads to, by the id that the view says: a machine, a desk, a room, or a thing that the plan does not know. */

import { middleOf } from "./geometry.js";

/** @typedef {{id: string, name: string, place: number[] | null, desk: string, room: import("./building.js").Room | undefined, sits: string}} Goal `sits` is what one is told at the end of the way */

/** @param {string} id @param {import("./building.js").Building} building @returns {Goal} */
export function goalOf(id, building) {
  const machine = building.machines.get(id);
  const desk = building.desks.get(machine?.desk ?? id);
  const room = building.rooms.get(desk?.room ?? id);
  const name = machine?.name ?? (desk ? `desk ${desk.id}` : room ? calledOf(room) : id);
  const place = desk ? middleOf(desk.ring) : null;
  const sits = machine && desk ? `${machine.name}, desk ${desk.id},` : name;
  return { id, name, place, desk: desk?.id ?? "", room, sits };
}

/** @param {import("./building.js").Room} room */
export const calledOf = (room) => (room.name === room.id ? room.id : `${room.name}, ${room.id}`);
