/** A way that was handed to a phone: turn by turn, changing as the building does. */

import { Building } from "./building.js";
import { minutes, showDirections } from "./directions.js";
import { byId, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { showFreshness } from "./header.js";
import { Hold } from "./hold.js";
import { Line } from "./line.js";
import { Plan } from "./map.js";
import { PlainFloors } from "./plain_floors.js";
import { keptFor } from "./take.js";
import { stepsOf } from "./turns.js";
import { Way } from "./way.js";
import { wishOf } from "./wish.js";
import { WishedView } from "./wished_view.js";

class Phone {
  /** @param {Building} building @param {any} handed */
  constructor(building, handed) {
    this.building = building;
    this.handed = handed;
    this.feed = new Feed();
    const ground = {
      building,
      points: this.feed.table("walking_points", "point"),
      roomPoints: this.feed.table("room_points", "room"),
      segments: this.feed.table("walking_ways", "a"),
      doors: this.feed.table("doors_now", "door"),
    };
    this.plan = new Plan(byId("map"), building);
    this.plan.fit();
    this.hold = new Hold(this.feed);
    this.way = new Way(ground, new WishedView(this.feed, "/api/way", null), this.hold);
    this.way.pace = handed.pace;
    this.outlines = L.layerGroup().addTo(this.plan.map);
    this.plan.onShow((floor) => this.#outline(floor));
    this.line = new Line(this.plan, this.way, (floor) => this.show(floor));
    this.floors = new PlainFloors(byId("floors"), building, (floor) => this.show(floor));
    /** the points one has been told to walk to, the last one last @type {string[]} */
    this.walked = [];
    showDirections(this.way, { select: () => {}, show: (floor) => this.show(floor) });
    showFreshness(this.feed, "way");
    this.way.onChange(() => this.#paint());
  }

  async start() {
    this.show(this.building.entry);
    this.way.standAt({ name: "", point: this.handed.start });
    this.feed.start();
    if (this.handed.hold) this.hold.carry(this.handed.hold);
    byId("next").addEventListener("click", () => this.#next());
    byId("back").addEventListener("click", () => this.#goTo(this.walked.slice(0, -1)));
    byId("way-kiosk").addEventListener("click", () => this.#goTo([]));
    byId("way-arrived").addEventListener("click", () => this.hold.end("arrived"));
    setInterval(() => this.hold.id && this.#paint(), 1000);
    await this.way.lookFor(wishOf(this.handed.wish));
    document.documentElement.dataset.ready = "true";
  }

  /** @param {number} floor */
  show(floor) {
    this.plan.show(floor);
    this.floors.mark(this.plan.floor.floor);
  }

  /** The rooms as they stand; who is in them is not the phone's affair. @param {import("./building.js").Floor} floor */
  #outline(floor) {
    this.outlines.clearLayers();
    for (const room of floor.rooms) this.outlines.addLayer(this.plan.path("rooms", "room", { type: "Polygon", coordinates: room.rings }));
  }

  /** What of the way is on this floor fills the plan. */
  #fit() {
    const places = this.way.route?.stops.filter((stop) => stop.floor === this.plan.floor.floor).map((stop) => this.plan.at(stop.place)) ?? [];
    if (places.length) this.plan.map.fitBounds(L.latLngBounds(places).pad(0.35), { animate: false, maxZoom: 4.5 });
  }

  get steps() {
    const { route, goal } = this.way;
    return route ? stepsOf(route, this.building, { name: goal.sits, place: goal.place }) : [];
  }

  #next() {
    const stop = this.way.route?.stops[this.steps[0]?.to ?? 0];
    if (stop) this.#goTo([...this.walked, stop.point]);
  }

  #goTo(/** @type {string[]} */ walked) {
    this.walked = walked;
    this.way.startAt(walked.at(-1) ?? "");
    const floor = this.way.route?.stops[0].floor;
    if (floor !== undefined) this.show(floor);
    this.#fit();
  }

  #paint() {
    const { route, hold, news } = this.way;
    const [first] = this.steps;
    const isThere = this.steps.length <= 1;
    setText(byId("now"), first ? first.text : "");
    byId("next").hidden = !route || isThere;
    byId("back").hidden = this.walked.length === 0;
    byId("way-arrived").hidden = !hold.id;
    byId("way-held").hidden = !hold.id;
    setText(byId("way-held"), hold.id ? keptFor(hold) : "");
    byId("way-problem").hidden = hold.problem === "";
    setText(byId("way-problem"), hold.problem);
    if (news && news !== this.told) navigator.vibrate?.(200);
    this.told = news;
    if (route) document.title = `${this.way.goal.name}, ${minutes(this.way.seconds)}`;
    const floor = route?.stops[0].floor;
    if (floor === undefined || floor === this.begun) return;
    this.show((this.begun = floor));
    this.#fit();
  }
}

try {
  await new Phone(await Building.fetch(), JSON.parse(document.body.dataset.way ?? "{}")).start();
} catch (error) {
  byId("banner-text").textContent = `The way could not be drawn: ${/** @type {Error} */ (error).message}`;
  byId("banner").hidden = false;
  throw error;
}
