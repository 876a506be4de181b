/** The second view of a machine: its energy by task, now and over a stretch, in a dialog. */

import { element, setText } from "./dom.js";
import { plural, power } from "./format.js";

const HOURS = /** @type {const} */ (["1 hour", "24 hours", "7 days"]);

/** @typedef {import("./table.js").Row} Row */

export class MachineTasks {
  constructor() {
    this.machine = "";
    this.hours = "1 hour";
    this.dialog = /** @type {HTMLDialogElement} */ (element("dialog", { id: "machine-tasks", class: "tasks-dialog", "aria-labelledby": "machine-tasks-title" }));
    document.body.append(this.dialog);
    this.now = element("div", { class: "tasks-now" });
    this.past = element("div", { class: "tasks-past", "aria-live": "polite" });
    this.title = element("h2", { id: "machine-tasks-title" });
    const close = element("button", { type: "button", class: "close", "aria-label": "Close", click: () => this.close() }, "×");
    const choices = HOURS.map((hours) => element("label", {}, element("input", { type: "radio", name: "tasks-stretch", checked: hours === this.hours, change: () => this.#choose(hours) }), element("span", {}, hours)));
    this.dialog.replaceChildren(element("header", { class: "pane-head" }, this.title, close), element("h3", {}, "Now"), this.now, element("fieldset", { class: "stretch" }, element("legend", {}, "Within the last"), ...choices), this.past);
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation()); // Escape closes the dialog, not the pane behind it
  }

  /** @param {{id: string, name: string}} machine @param {Row[]} tasks @param {number | null} watts */
  open(machine, tasks, watts) {
    this.machine = machine.id;
    setText(this.title, `Energy of each task on ${machine.name}`);
    this.past.replaceChildren(element("p", { class: "note" }, "Reading the past …"));
    if (!this.dialog.open) this.dialog.showModal();
    this.update(tasks, watts);
    this.#ask();
  }

  close() {
    this.machine = "";
    if (this.dialog.open) this.dialog.close();
  }

  /** What is drawn now, by the share of the processor that each task has now. @param {Row[]} tasks @param {number | null} watts */
  update(tasks, watts) {
    if (!this.dialog.open) return;
    const all = tasks.reduce((total, row) => total + Number(row.cpu), 0);
    const rows = [...tasks].sort((a, b) => Number(b.cpu) - Number(a.cpu)).map((row) => {
      const share = all ? Number(row.cpu) / all : 0;
      return [String(row.task), `${(Number(row.cpu) * 100).toFixed(1)} %`, percent(share), watts === null ? "–" : power(share * watts)];
    });
    this.now.replaceChildren(rows.length ? table(["Task", "Processor", "Share", "Power"], rows) : element("p", { class: "note" }, "No task has been told."));
  }

  #choose(/** @type {string} */ hours) {
    this.hours = hours;
    return this.#ask();
  }

  async #ask() {
    const { machine, hours } = this;
    const answer = await fetch(`/api/machines/${encodeURIComponent(machine)}/tasks?${new URLSearchParams({ from: hours })}`).catch(() => null);
    const found = await answer?.json().catch(() => null);
    if (machine !== this.machine || hours !== this.hours) return;
    if (!answer?.ok) return this.past.replaceChildren(element("p", { class: "note" }, String(found?.error ?? "The server cannot be reached.")));
    const rows = found.tasks.map((/** @type {any} */ task) => [task.task, `${task.hours.toFixed(1)} h`, percent(task.share), `${task.kwh.toFixed(4)} kWh`, ...(found.currency ? [`${task.cost.toFixed(3)} ${found.currency}`] : [])]);
    const said = `${found.kwh.toFixed(3)} kWh in all, by ${plural(rows.length, "task")}${found.nobodys > 1e-4 ? `; ${found.nobodys.toFixed(4)} kWh while no task was known` : ""}.`;
    this.past.replaceChildren(element("p", { class: "note" }, said), ...(rows.length ? [table(["Task", "Seen for", "Share", "Energy", ...(found.currency ? ["Cost"] : [])], rows)] : []));
    return undefined;
  }
}

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** @param {string[]} heads @param {string[][]} rows */
function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((text, n) => element("th", { scope: "col", class: n ? "number" : "" }, text)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((text, n) => (n ? element("td", { class: "number" }, text) : element("th", { scope: "row" }, text)))));
  return element("table", { class: "rows" }, element("thead", {}, head), element("tbody", {}, ...body));
}
