/** Puts the page together: building, feed, plan, panes; one selection, kept in the address. */

import { showAlarms, showHomeless } from "./badge.js";
import { Building } from "./building.js";
import { DayChart } from "./chart.js";
import { Desks } from "./desks.js";
import { showDirections } from "./directions.js";
import { byId } from "./dom.js";
import { Doors } from "./doors.js";
import { Feed } from "./feed.js";
import { Floors } from "./floors.js";
import { showCounts, showFreshness } from "./header.js";
import { Line } from "./line.js";
import { RoomList } from "./list.js";
import { Plan } from "./map.js";
import { Panel } from "./panel.js";
import { People } from "./people.js";
import { showRejects } from "./rejects.js";
import { Rooms } from "./rooms.js";
import { Sheet } from "./sheet.js";
import { showSources } from "./sources.js";
import { State } from "./state.js";
import { Way } from "./way.js";

class Page {
  /** @param {Building} building */
  constructor(building) {
    this.building = building;
    this.feed = new Feed();
    this.state = new State(this.feed, building, document.body.dataset.role ?? "");
    this.plan = new Plan(byId("map"), building);
    this.plan.fit();
    this.rooms = new Rooms(this.plan, this.state, (id) => this.select(id));
    this.desks = new Desks(this.plan, this.state, (id) => this.selectDesk(id));
    this.doors = new Doors(this.plan, this.state, (id) => this.selectDoor(id));
    this.way = new Way(this.state);
    this.line = new Line(this.plan, this.way, (floor) => this.show(floor));
    this.people = new People(this.plan, this.state);
    this.floors = new Floors(byId("floors"), this.state, (floor) => this.show(floor));
    this.list = new RoomList(byId("rooms"), byId("floor-name"), this.plan, this.state, (id) => this.select(id));
    this.sheet = new Sheet(byId("side"), byId("handle"));
    this.panel = new Panel(byId("pane"), this.state, {
      room: (id) => this.select(id),
      desk: (id) => this.selectDesk(id),
      start: (room) => this.way.startFrom(room),
      close: () => this.select(""),
    });
    showDirections(this.way, (desk) => this.selectDesk(desk));
    this.chart = new DayChart(this.state);
    showCounts(this.state);
    showFreshness(this.feed);
    const alarms = document.getElementById("alarms");
    if (alarms) showAlarms(this.feed, alarms);
    const devices = document.getElementById("devices");
    if (devices && this.state.known) showHomeless(this.state.known, devices);
    if (this.state.rejected) showRejects(this.state.rejected);
    const sources = document.getElementById("sources");
    if (sources) showSources(sources);
  }

  start() {
    const [floor, room] = decodeURIComponent(location.hash.slice(1)).split("/");
    this.show(Number(floor) || this.building.floors[0].floor);
    if (this.building.rooms.has(room)) this.select(room);
    this.feed.start();
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.select("");
    });
    /** @type {HTMLDetailsElement} */ (byId("legend")).open = !matchMedia("(max-width: 820px)").matches;
    document.documentElement.dataset.ready = "true";
  }

  /** @param {number} floor */
  show(floor) {
    this.plan.show(floor);
    this.floors.mark(this.plan.floor.floor);
    const { room, door } = this.panel.selection;
    const shown = this.building.rooms.get(room) ?? this.state.doors.get(door);
    if (shown && shown.floor !== this.plan.floor.floor) this.select("");
    this.#remember();
  }

  /** @param {string} id a room's; empty for nothing */
  select(id) {
    this.#choose({ room: id, desk: "", door: "" });
  }

  /** @param {string} id */
  selectDesk(id) {
    this.#choose({ room: this.building.desks.get(id)?.room ?? "", desk: id, door: "" });
  }

  /** @param {string} id */
  selectDoor(id) {
    this.#choose({ room: "", desk: "", door: id });
  }

  #choose(/** @type {import("./panel.js").Selection} */ selection) {
    const room = this.building.rooms.get(selection.room);
    if (room && room.floor !== this.plan.floor.floor) this.show(room.floor);
    this.panel.show(selection);
    this.rooms.mark(selection.room);
    this.desks.mark(selection.desk);
    this.doors.mark(selection.door);
    this.list.mark(selection.room);
    if (selection.door) this.sheet.raise();
    if (room) {
      this.sheet.raise();
      this.plan.reveal(room, this.sheet.covered());
    }
    this.#remember();
  }

  #remember() {
    const { room } = this.panel.selection;
    history.replaceState(null, "", `#${this.plan.floor.floor}${room ? `/${encodeURIComponent(room)}` : ""}`);
  }
}

try {
  new Page(await Building.fetch()).start();
} catch (error) {
  byId("banner-text").textContent = `The map could not be drawn: ${/** @type {Error} */ (error).message}`;
  byId("banner").hidden = false;
  throw error;
}
