/** Why a way is another than before, in words, as far as what is watched here tells. */

/** @typedef {{route: import("./route.js").Route | null, goal: import("./goal.js").Goal}} Shown */

/**
 * @param {Shown} before @param {Shown} after
 * @param {any} state the ground, or all that the map watches
 * @returns {string}
 */
export function reasonOf(before, after, state) {
  const { goal } = before;
  const isElsewhere = before.goal.id !== after.goal.id;
  const gone = isElsewhere ? lossOf(goal, state) : "";
  const shut = gone ? "" : shutOn(before.route, state);
  const nearer = isElsewhere && after.route && before.route && after.route.metres < before.route.metres;
  const why = gone || shut || (nearer ? `${after.goal.name} is free, and nearer` : isElsewhere ? `${goal.name} is not free any longer` : "");
  return `${why || "The way has changed"}.`;
}

/** What happened to a target. @param {import("./goal.js").Goal} goal @param {any} state @returns {string} */
function lossOf(goal, state) {
  const room = goal.room;
  if (goal.desk && state.taken?.has(goal.desk)) return `Somebody sat down at desk ${goal.desk}`;
  if (state.busy?.has(goal.id)) return `${goal.name} is busy`;
  const booking = room && state.reserved?.get(room.id);
  if (booking) return `${room.name} is reserved${booking.title ? ` for ${booking.title}` : ""}`;
  if (room && state.dark?.has(room.id)) return `${room.name} is dark`;
  return "";
}

/** A door that is closed and that the way went through. @param {import("./route.js").Route | null} route @param {any} state @returns {string} */
function shutOn(route, state) {
  const closed = state.doors.rows().filter((/** @type {any} */ door) => !door.open);
  const found = closed.find((/** @type {any} */ door) => route?.stops.some((stop, i) => i > 0 && crosses(route.stops[i - 1], stop, door)));
  return found ? `${found.name} is closed` : "";
}

/** @param {import("./route.js").Stop} a @param {import("./route.js").Stop} b @param {any} door */
function crosses(a, b, door) {
  if (a.floor !== door.floor || b.floor !== door.floor) return false;
  const side = (/** @type {number[]} */ p, /** @type {number[]} */ q, /** @type {number[]} */ r) =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  const [one, other] = [[door.x1, door.y1], [door.x2, door.y2]];
  return side(a.place, b.place, one) !== side(a.place, b.place, other) && side(one, other, a.place) !== side(one, other, b.place);
}
