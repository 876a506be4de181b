/**
 * The way in words, turn by turn, with what one sees on the way.
 *
 *     stops ─→ runs, straight on one floor, and climbs ─→ a step each: turn, metres, door, room passed
 *
 * Left and right are those of the geometry, as one walks. A room is worth naming where few of its floor share the name.
 */

import { besides, from, isInside, lengthOf, middleOf, turnOf } from "./geometry.js";

/** @typedef {import("./route.js").Stop} Stop */
/** @typedef {{text: string, sign: string, floor: number, from: number, to: number}} Step the stops it goes from and to */
/** @typedef {{from: number, to: number, climbs: boolean, heading: number[]}} Run */
/** @typedef {{name: string, place: number[] | null}} Goal */

const STRAIGHT = 32;
const BEND = 60;
const ROUND = 150;
const SHORT = 0.9; // metres that no turn is worth naming
const NEAR_DOOR = 0.8;
const NEAR_WALL = 4.5;

/** @param {import("./route.js").Route} route @param {import("./building.js").Building} building @param {Goal} goal @returns {Step[]} */
export function stepsOf({ stops }, building, goal) {
  const runs = runsOf(stops);
  const steps = runs.map((run, i) => (run.climbs ? climb(run, stops, building) : walk(run, runs[i - 1], stops, building)));
  const last = runs.filter((run) => !run.climbs).at(-1);
  return [...steps, arrive(stops, last, goal)];
}

/** @param {Stop[]} stops @returns {Run[]} */
function runsOf(stops) {
  /** @type {Run[]} */
  const runs = [];
  for (let i = 0; i + 1 < stops.length; i++) {
    const climbs = stops[i].floor !== stops[i + 1].floor;
    const heading = from(stops[i].place, stops[i + 1].place);
    const last = runs.at(-1);
    if (last && last.climbs === climbs && (climbs || isStraight(last, heading))) {
      last.to = i + 1;
      if (!climbs) last.heading = from(stops[last.from].place, stops[i + 1].place);
    } else runs.push({ from: i, to: i + 1, climbs, heading });
  }
  return runs;
}

/** @param {Run} run @param {number[]} heading */
function isStraight(run, heading) {
  return lengthOf(heading) < SHORT || lengthOf(run.heading) < SHORT || Math.abs(turnOf(run.heading, heading)) < STRAIGHT;
}

/** @param {Run} run @param {Stop[]} stops @param {import("./building.js").Building} building @returns {Step} */
function climb(run, stops, building) {
  const [below, above] = [stops[run.from], stops[run.to]];
  const floor = building.floors.find((each) => each.floor === above.floor);
  const up = above.floor > below.floor;
  const text = `Take ${shaft(below, building)} ${up ? "up" : "down"} to floor ${above.floor}${floor ? `, ${floor.label}` : ""}`;
  return { text, sign: up ? "⤒" : "⤓", floor: below.floor, from: run.from, to: run.to };
}

/** @param {Stop} stop @param {import("./building.js").Building} building */
function shaft({ floor, place, kind, way }, building) {
  const of = [kind, way].find((word) => word === "stairs" || word === "elevator" || word === "ramp") ?? "way";
  const found = featuresOf(building, floor, of).find((f) => f.geometry.type === "Polygon" && isInside(f.geometry.coordinates[0], place));
  return `the ${found?.properties?.name ?? of}`;
}

/** @param {Run} run @param {Run | undefined} before @param {Stop[]} stops @param {import("./building.js").Building} building @returns {Step} */
function walk(run, before, stops, building) {
  const { floor } = stops[run.from];
  const angle = before && !before.climbs ? turnOf(before.heading, run.heading) : 0;
  const metres = Math.max(1, Math.round(stops[run.from].left - stops[run.to].left));
  const turn = Math.abs(angle) < STRAIGHT ? "" : turned(angle);
  const head = turn ? `${turn} and walk ${metres} m` : `Walk ${metres} m`;
  const parts = [head, ...doors(run, stops, building), ...passed(run, stops, building)];
  return { text: parts.join(", "), sign: signOf(angle), floor, from: run.from, to: run.to };
}

/** @param {number} angle */
function turned(angle) {
  if (Math.abs(angle) > ROUND) return "Turn round";
  return `${Math.abs(angle) < BEND ? "Bear" : "Turn"} ${angle > 0 ? "left" : "right"}`;
}

/** @param {number} angle */
const signOf = (angle) => (Math.abs(angle) < STRAIGHT ? "↑" : Math.abs(angle) > ROUND ? "↶" : angle > 0 ? "↰" : "↱");

/** @param {Run} run @param {Stop[]} stops @param {import("./building.js").Building} building @returns {string[]} */
function doors(run, stops, building) {
  const found = [];
  for (let i = Math.max(1, run.from); i <= run.to && i + 1 < stops.length; i++) {
    if (stops[i].kind !== "door" || (i === run.from && i > 0 && stops[i - 1].floor === stops[i].floor)) continue;
    const room = roomOf(stops[i], building);
    const enters = room && (isInside(room.rings[0], stops[i + 1].place) || i + 1 === stops.length);
    found.push(room ? (enters ? `through the door into ${room.called}` : `out of ${room.called}`) : "through the door");
  }
  return found;
}

/** The room that a door leads to. @param {Stop} door @param {import("./building.js").Building} building */
function roomOf(door, building) {
  const near = featuresOf(building, door.floor, "door").find((f) => lengthOf(from(middleOf(linear(f.geometry)), door.place)) < NEAR_DOOR);
  return building.rooms.get(String(near?.properties?.room ?? ""));
}

/** The last room worth naming whose door one passes. @param {Run} run @param {Stop[]} stops @param {import("./building.js").Building} building @returns {string[]} */
function passed(run, stops, building) {
  const [a, b] = [stops[run.from].place, stops[run.to].place];
  const own = new Set(stops.filter((stop) => stop.kind === "door").map((stop) => roomOf(stop, building)?.id));
  const seen = featuresOf(building, stops[run.from].floor, "door").flatMap((f) => {
    const room = building.rooms.get(String(f.properties?.room ?? ""));
    const at = besides(a, b, middleOf(linear(f.geometry)));
    const isSeen = room && room.called !== room.id && !own.has(room.id) && at.along > 1 && at.along < at.length - 1 && Math.abs(at.left) < NEAR_WALL;
    return isSeen ? [{ room, at }] : [];
  });
  const last = seen.sort((x, y) => x.at.along - y.at.along).at(-1);
  return last ? [`past ${last.room.called} on your ${last.at.left > 0 ? "left" : "right"}`] : [];
}

/** @param {Stop[]} stops @param {Run | undefined} last @param {Goal} goal @returns {Step} */
function arrive(stops, last, goal) {
  const end = stops[stops.length - 1];
  const off = goal.place ? from(end.place, goal.place) : [0, 0];
  const angle = last && lengthOf(off) > 0.3 ? turnOf(last.heading, off) : 0;
  const side = !last || !goal.place || lengthOf(off) <= 0.3 ? "here" : Math.abs(angle) < STRAIGHT ? "straight ahead" : Math.abs(angle) > ROUND ? "behind you" : angle > 0 ? "on your left" : "on your right";
  const text = side === "here" ? `You are there: ${goal.name.replace(/,$/, "")}` : `${goal.name} is ${side}`;
  return { text, sign: "⚑", floor: end.floor, from: stops.length - 1, to: stops.length - 1 };
}

/** @param {import("./building.js").Building} building @param {number} floor @param {string} kind @returns {any[]} */
function featuresOf(building, floor, kind) {
  return building.floors.find((each) => each.floor === floor)?.features.filter((f) => f.properties?.kind === kind) ?? [];
}

/** @param {any} geometry @returns {number[][]} the corners of what stands for a door */
function linear({ type, coordinates }) {
  if (type === "Point") return [coordinates];
  return type === "Polygon" ? coordinates[0] : coordinates;
}
