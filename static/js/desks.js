/** Desks on the plan: free, taken or never heard of, and whether their machine is busy. A change is painted at once. */

import { mark } from "./dom.js";

export class Desks {
  /** @param {import("./map.js").Plan} plan @param {import("./state.js").State} state @param {(id: string) => void} select @param {(id: string) => void} [open] the second view of a desk's machine */
  constructor(plan, state, select, open = () => {}) {
    this.open = open;
    this.plan = plan;
    this.state = state;
    this.select = select;
    this.selected = "";
    /** @type {Set<string>} */
    this.found = new Set();
    this.layer = L.layerGroup().addTo(plan.map);
    /** @type {Map<string, any>} */
    this.paths = new Map();
    plan.onShow((floor) => this.#draw(floor));
    state.taken.onChange((desks) => desks.forEach((desk) => this.paint(desk)));
    state.free.onChange((rooms) =>
      rooms.forEach((room) => state.building.rooms.get(room)?.desks.forEach((desk) => this.paint(desk.id))),
    );
    state.busy.onChange((machines) =>
      machines.forEach((machine) => this.paint(state.building.machines.get(machine)?.desk ?? "")),
    );
  }

  /** @param {string} id */
  mark(id) {
    const before = this.selected;
    this.selected = id;
    this.paint(before);
    this.paint(id);
  }

  /** @param {Set<string>} desks that are looked for */
  markFound(desks) {
    const touched = new Set([...this.found, ...desks]);
    this.found = desks;
    for (const desk of touched) this.paint(desk);
  }

  /** @param {string} id */
  paint(id) {
    const shape = this.paths.get(id)?.getElement();
    const desk = this.state.building.desks.get(id);
    if (!shape || !desk) return;
    mark(shape, {
      state: this.state.deskState(desk),
      machine: this.state.isBusy(desk) ? "busy" : "idle",
      selected: String(id === this.selected),
      found: String(this.found.has(id)),
    });
  }

  #draw(/** @type {import("./building.js").Floor} */ floor) {
    this.layer.clearLayers();
    this.paths.clear();
    for (const desk of floor.rooms.flatMap((room) => room.desks)) {
      const path = this.plan.path("desks", "desk", { coordinates: [desk.ring] }, true);
      this.layer.addLayer(path);
      path.getElement().dataset.desk = desk.id;
      path.on("click", () => this.select(desk.id));
      path.on("dblclick", (/** @type {any} */ event) => {
        L.DomEvent.stop(event);
        this.open(desk.id);
      });
      this.paths.set(desk.id, path);
      this.paint(desk.id);
    }
  }
}
