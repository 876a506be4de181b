/**
 * The kiosk: what somebody looks for, the way there, and nothing else. It begins again when it is left alone,
 * goes on showing what it had when the network blinks, and says so.
 */

import { Building } from "./building.js";
import { Desks } from "./desks.js";
import { showDirections } from "./directions.js";
import { byId, setText } from "./dom.js";
import { Doors } from "./doors.js";
import { Feed } from "./feed.js";
import { Floors } from "./floors.js";
import { showFreshness } from "./header.js";
import { Hold } from "./hold.js";
import { Line } from "./line.js";
import { Plan } from "./map.js";
import { offerPlaces } from "./places.js";
import { Rooms } from "./rooms.js";
import { State } from "./state.js";
import { showTaking } from "./take.js";
import { Way } from "./way.js";
import { USUAL } from "./wish.js";
import { WishForm } from "./wish_form.js";
import { WishedView } from "./wished_view.js";
import { keepWorker } from "./worker_keeper.js";

const LEFT_ALONE = 60_000;
const WARNED = 10_000;
const RENEW = 3_600_000;

class Kiosk {
  /** @param {Building} building */
  constructor(building) {
    this.building = building;
    this.feed = new Feed();
    const { role, kiosk, point } = document.body.dataset;
    this.state = new State(this.feed, building, role ?? "kiosk");
    this.plan = new Plan(byId("map"), building);
    this.plan.fit();
    this.hold = new Hold(this.feed);
    this.way = new Way(this.state, new WishedView(this.feed, "/api/ways", this.state.nearest), this.hold);
    this.rooms = new Rooms(this.plan, this.state, (id) => this.lead(id));
    this.desks = new Desks(this.plan, this.state, (id) => this.lead(id));
    this.doors = new Doors(this.plan, this.state, () => {});
    this.line = new Line(this.plan, this.way, (floor) => this.show(floor));
    this.floors = new Floors(byId("floors"), this.state, (floor) => this.show(floor));
    this.form = new WishForm(byId("wish"), this.way);
    showDirections(this.way, { select: (goal) => goal.room && this.show(goal.room.floor), show: (floor) => this.show(floor) });
    showTaking(this.way);
    showFreshness(this.feed, "kiosk");
    this.way.standAt({ name: kiosk ?? "", point: point ?? "" });
    const place = document.getElementById("place");
    if (place) offerPlaces(/** @type {HTMLSelectElement} */ (place), this.way, () => this.begin());
    this.placed = false;
    this.state.points.onChange(() => {
      if (!this.placed) this.show(this.#floor());
      this.placed = true;
    });
    this.touched = performance.now();
  }

  async start() {
    this.begin();
    this.feed.start();
    this.feed.addEventListener("again", () => this.#renew());
    setInterval(() => this.#renew(), RENEW);
    setInterval(() => this.#look(), 500);
    for (const sign of ["pointerdown", "keydown", "wheel"]) addEventListener(sign, () => (this.touched = performance.now()), { passive: true });
    byId("wish").addEventListener("submit", (event) => event.preventDefault());
    keepWorker();
    await this.form.start();
    document.documentElement.dataset.ready = "true";
  }

  /** As somebody finds it who comes now. */
  begin() {
    /** @type {HTMLDialogElement} */ (byId("hand")).close();
    if (this.hold.id) this.hold.leave();
    this.form.sought = "";
    this.way.pace = "normal";
    this.way.startFrom("");
    this.way.lookFor({ ...USUAL });
    this.plan.fit();
    this.show(this.#floor());
    byId("map").ownerDocument.querySelector(".kiosk-panel")?.scrollTo({ top: 0 });
    this.touched = performance.now();
    this.fresh = true;
  }

  /** @param {number} floor */
  show(floor) {
    this.plan.show(floor);
    this.floors.mark(this.plan.floor.floor);
  }

  /** @param {string} thing a room or a desk that was touched on the plan */
  lead(thing) {
    if (thing) this.way.lookFor({ ...USUAL, kind: "to", to: thing, step_free: this.way.wish.step_free });
  }

  #floor() {
    return Number(this.state.points.get(this.way.start)?.floor ?? this.building.entry);
  }

  /** Whether it was left alone for long enough; before it begins again, it says so. */
  #look() {
    const alone = performance.now() - this.touched;
    const left = Math.ceil((LEFT_ALONE - alone) / 1000);
    const isUsed = !this.#isAsFound();
    byId("left").hidden = !isUsed || alone < LEFT_ALONE - WARNED;
    if (!byId("left").hidden) setText(byId("left"), `Still here? This begins again in ${Math.max(0, left)} s; touch anything to stay.`);
    if (alone >= LEFT_ALONE && isUsed) this.begin();
  }

  #isAsFound() {
    const { wish, pace, room, point } = this.way;
    const isUsual = JSON.stringify(wish) === JSON.stringify(USUAL) && pace === "normal" && !room && !point;
    return isUsual && !this.hold.id && !this.form.sought && this.plan.floor.floor === this.#floor() && !(/** @type {HTMLDialogElement} */ (byId("hand")).open);
  }

  /** A kiosk's session is renewed while it runs, and it may have been put elsewhere. */
  async #renew() {
    const answer = await fetch("/api/kiosk").catch(() => null);
    if (!answer?.ok) return;
    const own = await answer.json();
    if (own.point && own.point !== this.way.kiosk.point) this.way.standAt(own);
  }
}

try {
  await new Kiosk(await Building.fetch()).start();
} catch (error) {
  byId("banner-text").textContent = `The plan could not be drawn: ${/** @type {Error} */ (error).message}`;
  byId("banner").hidden = false;
  throw error;
}
