/**
 * The way that is shown: from where somebody is to what they look for, as the views say now.
 *
 *     wish ─→ a view of ways ─┐
 *     hold ─→ the held way   ─┴─→ route from the start; another one without being asked is news
 */

import { oncePerFrame } from "./dom.js";
import { goalOf } from "./goal.js";
import { reasonOf } from "./news.js";
import { routeFrom } from "./route.js";
import { PACES, USUAL } from "./wish.js";

/** @typedef {import("./table.js").Table} Table */

const SETTLING = 1500;

/** @typedef {{building: import("./building.js").Building, points: Table, roomPoints: Table, segments: Table, doors: Table}} Ground what is the same for every way */

export class Way {
  /**
   * @param {Ground} ground
   * @param {import("./wished_view.js").WishedView} view
   * @param {import("./hold.js").Hold} hold
   */
  constructor(ground, view, hold) {
    this.ground = ground;
    this.view = view;
    this.hold = hold;
    /** @type {import("./wish.js").Wish} */
    this.wish = { ...USUAL };
    /** @type {import("./wish.js").Pace} */
    this.pace = "normal";
    /** where one starts: a room, or a point; both empty at the kiosk */
    this.room = this.point = "";
    /** where the kiosk stands, and what it is called; empty for the building's own */
    this.kiosk = { name: "", point: "" };
    /** @type {import("./route.js").Route | null} */
    this.route = null;
    this.goal = goalOf("", ground.building);
    /** why the way is another than before; empty where somebody asked for that */
    this.news = "";
    this.asked = true;
    this.hushed = 0;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.look = oncePerFrame(() => this.#look());
    for (const table of [ground.points, ground.roomPoints, ground.segments]) table.onChange(this.look);
    view.onChange(this.look);
    hold.onChange(this.look);
  }

  /** @param {() => void} listener told when the way, or where it starts, is another */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** @param {Partial<import("./wish.js").Wish>} wish */
  async lookFor(wish) {
    this.wish = { ...this.wish, ...wish };
    this.asked = true;
    await this.view.ask(this.wish);
    this.look();
  }

  /** @param {string} room empty for the kiosk */
  startFrom(room) {
    this.#start({ room, point: "" });
  }

  /** @param {string} point empty for the kiosk */
  startAt(point) {
    this.#start({ room: "", point });
  }

  /** @param {{name: string, point: string}} kiosk */
  standAt(kiosk) {
    this.kiosk = kiosk;
    this.#start({ room: "", point: "" });
  }

  /** What changes in the next moments, somebody asked for: a hold takes a tick to be seen. */
  hush() {
    this.asked = true;
    this.hushed = performance.now() + SETTLING;
  }

  /** @param {import("./wish.js").Pace} pace */
  walk(pace) {
    this.pace = pace;
    this.look();
  }

  /** What one calls the place where the way starts. */
  get from() {
    const room = this.ground.building.rooms.get(this.room);
    if (room) return `${room.name}, ${room.id}`;
    if (this.point) return "where you are";
    if (this.kiosk.point) return this.kiosk.name ? `the kiosk ${this.kiosk.name}` : "this kiosk";
    return this.ground.building.kiosk ? "the kiosk" : "the entrance";
  }

  /** The routing point where the way starts. */
  get start() {
    if (this.room) return String(this.ground.roomPoints.get(this.room)?.point ?? "");
    return this.point || this.begin;
  }

  /** Where the kiosk stands: a held way leads from there, and over no other point. */
  get begin() {
    const { building, points } = this.ground;
    const entrance = () => String(points.rows().find((point) => point.kind === "entrance")?.point ?? "");
    return this.kiosk.point || building.kiosk || entrance();
  }

  /** Whether the building has these views, and knows where the way starts. */
  get isKnown() {
    return this.ground.points.has(this.start) && (this.view.isAnswered || this.view.problem !== "" || this.view.number > 0);
  }

  /** Whether anything that is looked for is there, be it out of reach. */
  get hasTargets() {
    return (this.view.table?.size ?? 0) > 0;
  }

  /** How long it takes, at one's pace. */
  get seconds() {
    return (this.route?.seconds ?? 0) * PACES[this.pace];
  }

  #start(/** @type {{room: string, point: string}} */ start) {
    Object.assign(this, start);
    this.asked = true;
    this.#look();
  }

  #look() {
    const { hold, view } = this;
    const step = hold.id ? hold.step.bind(hold) : (/** @type {string} */ point) => view.table?.get(point);
    const before = { route: this.route, goal: this.goal };
    this.route = routeFrom(this.start, step, this.ground);
    if (!this.route && hold.id) this.route = routeFrom(this.begin, step, this.ground);
    this.goal = goalOf(this.route?.target ?? hold.target, this.ground.building);
    const isOther = signature(before.route) !== signature(this.route);
    if (this.asked || performance.now() < this.hushed) this.news = "";
    else if (isOther && before.route) this.news = reasonOf(before, this, this.ground);
    if (this.asked && this.#isSettled()) this.asked = false;
    for (const listener of this.listeners) listener();
  }

  /** Whether what was asked for is answered, so that what changes now is news. */
  #isSettled() {
    return this.hold.id ? this.route !== null : this.view.isAnswered && this.ground.points.size > 0;
  }
}

/** @param {import("./route.js").Route | null} route */
const signature = (route) => (route ? [...route.stops.map((stop) => stop.point), route.target].join("→") : "");
