/**
 * The way from a point to what is nearest, read off the view point by point.
 *
 *     start → next(start) → next(next(start)) → …   until a point is its own next
 */

/** @typedef {{point: string, floor: number, place: number[], kind: string, left: number, way: string}} Stop `left` is metres to go, `way` how one goes on */
/** @typedef {{stops: Stop[], target: string, metres: number, seconds: number}} Route */
/** @typedef {{floor: number, stops: Stop[]}} Leg */
/** @typedef {{points: import("./table.js").Table, segments: import("./table.js").Table}} Ground */

/** Metres a second where nothing says how long a stretch takes. */
const USUAL_SPEED = 1.2;

/**
 * @param {string} start
 * @param {(point: string) => import("./table.js").Row | undefined} step the row of a point
 * @param {Ground} ground
 * @returns {Route | null}
 */
export function routeFrom(start, step, { points, segments }) {
  /** @type {Map<string, Stop>} */
  const stops = new Map();
  let seconds = 0;
  for (let point = start; !stops.has(point); ) {
    const [row, at] = [step(point), points.get(point)];
    if (!row || !at) return null;
    const segment = between(segments, point, row.next);
    stops.set(point, { point, floor: at.floor, place: [at.x, at.y], kind: String(at.kind), left: Number(row.length) / 100, way: String(segment?.way ?? "") });
    const onward = Number(step(row.next)?.length ?? 0);
    seconds += Number(segment?.seconds ?? (Number(row.length) - (row.next === point ? 0 : onward)) / 100 / USUAL_SPEED);
    point = row.next;
  }
  const found = [...stops.values()];
  const end = found[found.length - 1].point;
  if (step(end)?.next !== end) return null; // a circle: half of a change
  return { stops: found, target: String(step(start)?.target), metres: found[0].left, seconds };
}

/** @param {import("./table.js").Table} segments @param {string} a @param {string} b */
function between(segments, a, b) {
  if (a === b) return undefined;
  return segments.all(a).find((row) => row.b === b) ?? segments.all(b).find((row) => row.b === a);
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
