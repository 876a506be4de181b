/**
 * The way from a point to the nearest free machine, read off the view point by point.
 *
 *     start → next(start) → next(next(start)) → …   until a point is its own next
 */

/** @typedef {{point: string, floor: number, place: number[], kind: string, left: number}} Stop `left` is metres to go */
/** @typedef {{stops: Stop[], machine: string, metres: number}} Route */
/** @typedef {{floor: number, stops: Stop[]}} Leg */

/**
 * @param {string} start
 * @param {import("./table.js").Table} nearest @param {import("./table.js").Table} points
 * @returns {Route | null}
 */
export function routeFrom(start, nearest, points) {
  /** @type {Map<string, Stop>} */
  const stops = new Map();
  for (let point = start; !stops.has(point); point = nearest.get(point)?.next) {
    const [step, at] = [nearest.get(point), points.get(point)];
    if (!step || !at) return null;
    stops.set(point, { point, floor: at.floor, place: [at.x, at.y], kind: String(at.kind), left: Number(step.length) / 100 });
  }
  const found = [...stops.values()];
  const end = found[found.length - 1].point;
  if (nearest.get(end)?.next !== end) return null; // a circle: half of a change
  return { stops: found, machine: String(nearest.get(start)?.target), metres: found[0].left };
}

/** The stretches on one floor each; a floor that the elevator only passes is none. @param {Route} route @returns {Leg[]} */
export function legsOf(route) {
  /** @type {Leg[]} */
  const legs = [];
  for (const stop of route.stops) {
    const last = legs.at(-1);
    if (last?.floor === stop.floor) last.stops.push(stop);
    else legs.push({ floor: stop.floor, stops: [stop] });
  }
  return legs.filter((leg, i) => leg.stops.length > 1 || i === 0 || i === legs.length - 1);
}

/** The way in words. @param {Route} route @param {string} goal @returns {string[]} */
export function directionsOf(route, goal) {
  const legs = legsOf(route);
  return legs.flatMap((leg, i) => {
    const [last, next] = [/** @type {Stop} */ (leg.stops.at(-1)), legs[i + 1]];
    const metres = Math.round(leg.stops[0].left - (next ? last.left : 0));
    const onward = `Take ${climbOf(last)} ${next?.floor > leg.floor ? "up" : "down"} to floor ${next?.floor}`;
    const walk = `${metres} m on floor ${leg.floor} to ${next ? climbOf(last) : goal}`;
    return [...(metres > 0 ? [walk] : []), ...(next ? [onward] : [])];
  });
}

/** @param {Stop} stop where a floor is left */
function climbOf(stop) {
  return ["stairs", "elevator"].includes(stop.kind) ? `the ${stop.kind}` : "the way";
}
