/** Doors that tell whether they are open: on the plan, and as a list of the floor. */

import { byId, element, mark, oncePerFrame, setText } from "./dom.js";

/** A line of this many pixels is easy to hit with a finger. */
const TOUCH = 18;

export class Doors {
  /** @param {import("./map.js").Plan} plan @param {import("./state.js").State} state @param {(id: string) => void} select */
  constructor(plan, state, select) {
    this.plan = plan;
    this.state = state;
    this.select = select;
    this.selected = "";
    this.layer = L.layerGroup().addTo(plan.map);
    plan.onShow(() => this.#paint());
    state.doors.onChange(oncePerFrame(() => this.#paint()));
  }

  /** @param {string} id */
  mark(id) {
    this.selected = id;
    this.#paint();
  }

  #paint() {
    this.layer.clearLayers();
    const doors = this.state.doors.rows().filter((door) => door.floor === this.plan.floor.floor);
    for (const door of doors) this.#draw(door);
    this.#list(doors.sort((a, b) => String(a.name).localeCompare(String(b.name))));
  }

  #draw(/** @type {import("./table.js").Row} */ door) {
    const geometry = { type: "LineString", coordinates: [[door.x1, door.y1], [door.x2, door.y2]] };
    const leaf = this.plan.path("doors", "leaf", geometry);
    const target = this.plan.path("doors", "leaf-target", geometry, true).setStyle({ weight: TOUCH });
    this.layer.addLayer(leaf);
    this.layer.addLayer(target);
    const selected = String(door.door === this.selected);
    mark(leaf.getElement(), { door: String(door.door), open: String(door.open), selected });
    target.on("click", () => this.select(String(door.door)));
    target.bindTooltip(element("span", {}, `${door.name}, ${stateOf(door)}`), { sticky: true, direction: "top" });
  }

  #list(/** @type {import("./table.js").Row[]} */ doors) {
    if (!document.getElementById("doors")) return; // a kiosk shows them on the plan alone
    byId("doors").hidden = doors.length === 0;
    const closed = doors.filter((door) => !door.open).length;
    setText(byId("doors-count"), closed ? `${closed} of ${doors.length} closed` : "all open");
    const focused = document.activeElement?.getAttribute("data-door-row");
    byId("doors-list").replaceChildren(...doors.map((door) => this.#row(door)));
    if (focused) /** @type {HTMLElement | null} */ (byId("doors-list").querySelector(`[data-door-row="${CSS.escape(focused)}"]`))?.focus();
  }

  #row(/** @type {import("./table.js").Row} */ door) {
    const button = element(
      "button",
      {
        type: "button",
        "data-door-row": String(door.door),
        "data-open": String(door.open),
        "aria-pressed": String(door.door === this.selected),
        click: () => this.select(String(door.door)),
      },
      element("span", { class: "row-name" }, String(door.name)),
      element("span", { class: "row-desks" }, stateOf(door)),
    );
    return element("li", {}, button);
  }
}

/** @param {import("./table.js").Row} door */
export function stateOf(door) {
  return door.open ? "open" : "closed";
}
