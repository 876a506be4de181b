/**
 * The machine of the desk that is shown: what it is, what it does now, how that went, and what its tasks took.
 *
 * Opening it starts continuous queries of this machine alone, closing it ends them; charts are asked of the past
 * when it opens and each minute. A kiosk sees what is so now; the past needs a viewer.
 */

import { element } from "./dom.js";
import { amount, power } from "./format.js";
import { MachineCharts } from "./machine_charts.js";
import { MachineTasks } from "./machine_tasks.js";

/** @typedef {import("./table.js").Row} Row */
/** @typedef {import("./building.js").Machine} Machine */

const QUERIES = /** @type {const} */ (["machine_facts", "machine_state", "machine_tasks_now", "machine_software"]);

export class MachinePane {
  /** @param {import("./state.js").State} state @param {() => void} paint asked when something is to be shown anew */
  constructor(state, paint) {
    this.state = state;
    this.paint = paint;
    /** @type {Machine | null} */
    this.machine = null;
    this.room = "";
    /** @type {Record<string, import("./table.js").Table>} */
    this.tables = {};
    this.seesPast = document.body.dataset.role !== "kiosk";
    this.charts = new MachineCharts();
    this.tasks = new MachineTasks();
  }

  /** Follow another machine, or none. @param {Machine | null} machine @param {string} room */
  follow(machine, room) {
    if (machine?.id === this.machine?.id) return;
    for (const table of Object.values(this.tables)) this.state.feed.unwatch(table.name);
    this.tables = {};
    this.machine = machine;
    this.room = room;
    if (this.seesPast) this.charts.follow(machine?.id ?? "", room);
    this.tasks.close();
    if (!machine) return;
    for (const query of QUERIES) this.#watch(query, `${query}(${machine.id})`);
    this.#watch("room_equipment", `room_equipment(${room})`);
  }

  #watch(/** @type {string} */ name, /** @type {string} */ view) {
    const table = this.state.feed.watch(view);
    table.onChange(this.paint);
    this.tables[name] = table;
  }

  /** Open the second view: the energy of each task. */
  openTasks() {
    if (this.machine && this.seesPast) this.tasks.open(this.machine, this.#rows("machine_tasks_now"), this.#watts());
  }

  /** What the pane shows of it; the charts' elements stay the same, so that they are not drawn anew. @returns {(HTMLElement | null)[]} */
  parts() {
    if (!this.machine) return [];
    this.tasks.update(this.#rows("machine_tasks_now"), this.#watts());
    return [this.#facts(), this.#now(), this.#software(), this.#equipment(), this.seesPast ? this.#tasksButton() : null, this.seesPast ? this.charts.where : null];
  }

  #rows(/** @type {string} */ name) {
    return this.tables[name]?.everyRow().map((cells) => named(this.tables[name], cells)) ?? [];
  }

  #watts() {
    const watts = this.machine && this.state.machinePower.get(this.machine.id)?.watts;
    return typeof watts === "number" ? watts : null;
  }

  #facts() {
    const [found] = this.#rows("machine_facts");
    if (!found) return null;
    const gpu = found.gpu ? ` · ${found.gpu}` : "";
    return element("p", { class: "machine-kind", "data-machine": String(found.machine) }, element("strong", {}, String(found.host)), `${found.cpu_type}, ${found.cores} cores, ${found.memory_gb} GB${gpu}`);
  }

  #now() {
    const [state] = this.#rows("machine_state");
    const load = state ? Number(state.cpu) : null;
    return list([
      ["Processor", load === null ? "no word yet" : amount(load * 100, "%"), load],
      ["Busiest task", state ? String(state.task || "none") : "–"],
      ["Power", power(this.#watts() ?? undefined)],
      ["Last hour", amount(this.state.machineEnergy.get(this.machine?.id)?.kwh, "kWh", 2)],
      ["Room temperature", amount(this.state.temperature.get(this.room)?.celsius, "°C", 1)],
      ["Signed in", state ? (state.logged_in ? "somebody" : "nobody") : "–"],
    ]);
  }

  #software() {
    const packages = this.#rows("machine_software").map((row) => `${row.package} ${row.version ?? ""}`.trim()).sort();
    return namedList("Software", packages);
  }

  #equipment() {
    const pieces = this.#rows("room_equipment").map((row) => (Number(row.pieces) > 1 ? `${row.pieces} × ${row.item}` : String(row.item))).sort();
    return namedList("In the room", pieces);
  }

  #tasksButton() {
    const made = element("button", { type: "button", class: "act", click: () => this.openTasks() }, "Energy of each task");
    made.dataset.focus = "tasks";
    return made;
  }
}

/** @param {import("./table.js").Table} table @param {unknown[]} cells @returns {Row} */
const named = (table, cells) => Object.fromEntries(table.columns.map((name, i) => [name, cells[i]]));

/** @param {[string, string, (number | null)?][]} pairs those with a share have a bar */
function list(pairs) {
  const cells = pairs.map(([name, value, share]) => element("div", {}, element("dt", {}, name), element("dd", {}, value, typeof share === "number" ? meter(share, name) : null)));
  return element("dl", { class: "facts machine-facts" }, ...cells);
}

/** @param {number} share @param {string} name */
const meter = (share, name) => element("meter", { min: "0", max: "1", value: String(share), "aria-label": name });

/** @param {string} title @param {string[]} items */
function namedList(title, items) {
  if (!items.length) return null;
  return element("section", { class: "machine-list" }, element("h3", {}, title), element("ul", {}, ...items.map((item) => element("li", {}, item))));
}
