/**
 * Brings the plan to life: feed, panes, layers, search, the past; one selection, kept in the address.
 * `start.js` has drawn the plan by then.
 */

import { readAddress, toAddress } from "./address.js";
import { showAlarms, showHomeless } from "./badge.js";
import { DayChart } from "./chart.js";
import { Detail } from "./detail.js";
import { showDirections } from "./directions.js";
import { byId } from "./dom.js";
import { Doors } from "./doors.js";
import { Floors } from "./floors.js";
import { Found } from "./found.js";
import { showCounts, showFreshness, showQuiet } from "./header.js";
import { Hold } from "./hold.js";
import { Legend } from "./legend.js";
import { Line } from "./line.js";
import { RoomList } from "./list.js";
import { Panel } from "./panel.js";
import { Past } from "./past.js";
import { People } from "./people.js";
import { offerPlaces } from "./places.js";
import { showRejects } from "./rejects.js";
import { Search } from "./search.js";
import { Sheet } from "./sheet.js";
import { showSources } from "./sources.js";
import { showTaking } from "./take.js";
import { Timeline } from "./timeline.js";
import { Way } from "./way.js";
import { WishForm } from "./wish_form.js";
import { WishedView } from "./wished_view.js";
import { keepWorker } from "./worker_keeper.js";

/** Where the legend would lie on the plan: it begins closed there. */
const CRAMPED = "(max-width: 1180px), (max-height: 760px)";

export class Page {
  /** @param {import("./start.js").Drawn} drawn */
  constructor({ building, plan, feed, state, rooms, desks }) {
    this.building = building;
    this.plan = plan;
    this.feed = feed;
    this.state = state;
    this.rooms = rooms;
    this.desks = desks;
    this.doors = new Doors(this.plan, this.state, (id) => this.selectDoor(id));
    this.way = new Way(this.state, new WishedView(this.feed, "/api/ways", this.state.nearest), new Hold(this.feed));
    this.line = new Line(this.plan, this.way, (floor) => this.show(floor));
    this.people = new People(this.plan, this.state);
    this.detail = new Detail(this.plan, this.state);
    this.legend = new Legend((layer) => this.colour(layer.id));
    this.found = new Found(this.plan, this.state, this.rooms, this.desks, {
      show: (floor) => this.show(floor),
      changed: () => this.#remember(),
    });
    this.search = new Search(this.state, (entry) => {
      this.#come(entry);
      /** @type {HTMLElement | null} */ (document.querySelector(entry.kind === "program" || entry.kind === "equipment" ? "#found-clear" : "#pane .close"))?.focus();
    });
    this.past = new Past(this.state);
    this.timeline = new Timeline(this.past, this.feed, () => this.#remember());
    this.floors = new Floors(byId("floors"), this.state, (floor) => this.show(floor));
    this.list = new RoomList(byId("rooms"), byId("floor-name"), this.plan, this.state, {
      room: (id) => this.select(id),
      desk: (id) => this.selectDesk(id),
      place: (place) => this.#reveal(place),
    });
    this.sheet = new Sheet(byId("side"), byId("handle"));
    this.panel = new Panel(byId("pane"), this.state, {
      room: (id) => this.select(id),
      desk: (id) => this.selectDesk(id),
      start: (room) => this.way.startFrom(room),
      close: () => this.select(""),
    });
    showDirections(this.way, {
      select: (goal) => (goal.desk ? this.selectDesk(goal.desk) : this.select(goal.room?.id ?? "")),
      show: (floor, place) => this.lookAt(floor, place),
    });
    showTaking(this.way);
    this.wishes = new WishForm(byId("wish"), this.way);
    const place = document.getElementById("place");
    if (place) offerPlaces(/** @type {HTMLSelectElement} */ (place), this.way);
    this.chart = new DayChart(this.state);
    showCounts(this.state);
    showFreshness(this.feed);
    showQuiet(this.state);
    const alarms = document.getElementById("alarms");
    if (alarms) showAlarms(this.feed, alarms, (rooms) => this.rooms.markAlarmed(rooms));
    const devices = document.getElementById("devices");
    if (devices && this.state.known) showHomeless(this.state.known, devices);
    if (this.state.rejected) showRejects(this.state.rejected);
    const sources = document.getElementById("sources");
    if (sources) showSources(sources);
  }

  /** @param {import("./address.js").Looked} looked */
  start(looked) {
    this.show(looked.floor ?? this.building.entry);
    this.feed.start();
    this.way.lookFor({});
    this.wishes.start();
    keepWorker();
    this.#look(looked);
    addEventListener("hashchange", () => this.#look(readAddress(location.hash)));
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.select("");
    });
    /** @type {HTMLDetailsElement} */ (byId("legend")).open = !matchMedia(CRAMPED).matches;
    document.documentElement.dataset.ready = "true";
  }

  /** Show what an address says. @param {import("./address.js").Looked} looked */
  #look({ floor, room, desk, door, layer, at, find }) {
    if (floor !== null && floor !== this.plan.floor.floor) this.show(floor);
    this.colour(layer);
    this.found.restore(find);
    if (this.building.desks.has(desk)) this.selectDesk(desk);
    else if (this.building.rooms.has(room)) this.select(room);
    else if (door) this.#awaitDoor(door);
    else this.select("");
    if (!at && this.past.at) this.timeline.now();
    if (at && this.timeline.isThere) this.timeline.goTo(at);
  }

  /** A door is known only once its contact has spoken. */
  #awaitDoor(/** @type {string} */ door) {
    this.wanted = door;
    const look = () => {
      const row = this.wanted ? this.state.doors.get(this.wanted) : undefined;
      if (!row) return;
      if (row.floor !== this.plan.floor.floor) this.show(Number(row.floor));
      this.selectDoor(this.wanted ?? "");
    };
    this.state.doors.onChange(look);
    look();
  }

  /** @param {string} id a layer's */
  colour(id) {
    this.legend.mark(id);
    this.rooms.colour(this.legend.layer);
    this.list.tell(this.legend.layer);
    this.#remember();
  }

  /** Go to what was found. */
  #come(/** @type {import("./search_index.js").Entry} */ { kind, id }) {
    if (kind === "room") this.select(id);
    else if (kind === "desk" || kind === "machine") this.selectDesk(id);
    else if (kind === "door") {
      const floor = this.state.doors.get(id)?.floor;
      if (floor !== undefined && floor !== this.plan.floor.floor) this.show(Number(floor));
      this.selectDoor(id);
    } else if (kind === "place") {
      const place = this.building.places.get(id);
      if (place) this.#reveal(place);
    } else this.found.mark({ kind: kind === "program" ? "program" : "equipment", name: id });
  }

  #reveal(/** @type {import("./building.js").Place} */ place) {
    if (place.floor !== this.plan.floor.floor) this.show(place.floor);
    this.plan.point(place.at, this.sheet.covered());
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

  /** @param {number} floor @param {number[]} place */
  lookAt(floor, place) {
    this.show(floor);
    this.plan.map.panInside(this.plan.at(place), { padding: [80, 80] });
  }

  /** @param {string} id a room's; empty for nothing */
  select(id) {
    this.#choose({ room: id, desk: "", door: "" });
  }

  /** @param {string} id */
  selectDesk(id) {
    this.#choose({ room: this.building.desks.get(id)?.room ?? "", desk: id, door: "" });
  }

  /** The energy of each task of the machine on a desk. @param {string} id */
  openTasks(id) {
    this.selectDesk(id);
    this.panel.machinePane.openTasks();
  }

  /** @param {string} id */
  selectDoor(id) {
    this.#choose({ room: "", desk: "", door: id });
  }

  #choose(/** @type {import("./panel.js").Selection} */ selection) {
    this.wanted = "";
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
    if (!document.documentElement.dataset.ready) return;
    const { room, desk, door } = this.panel.selection;
    const floor = this.plan.floor.floor;
    const layer = this.legend.layer.id === "occupancy" ? "" : this.legend.layer.id;
    const address = toAddress({ floor, room, desk, door, layer, at: this.past.at, find: this.found.text });
    if (address !== location.hash) history.replaceState(null, "", address);
  }
}
