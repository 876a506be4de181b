/** An alarm looked at closely: why its row was there when it was raised, who was told of it, and what to do. */

import { alarmName, stands } from "./alarm_line.js";
import { ask } from "./ask.js";
import { element, setText } from "./dom.js";
import { dayAndTime, plural } from "./format.js";
import { WhyDialog } from "./why_dialog.js";

/** @typedef {import("./alarm_line.js").Alarm} Alarm */
/** @typedef {{channel: string, what: string, made: number, due: number | null, tries: number, sent: number | null, problem: string | null}} Notice */

const SHELVES = { "15 minutes": 15, "1 hour": 60, "8 hours": 480, "3 days": 4320 };

export class AlarmDetail {
  /** @param {HTMLDialogElement} dialog @param {(path: string, body?: any) => Promise<string>} act */
  constructor(dialog, act) {
    this.element = dialog;
    this.act = act;
    this.dialog = new WhyDialog(dialog, new Map());
    /** The alarm that the address names, until it was shown. */
    this.named = Number(location.hash.slice(1));
    addEventListener("hashchange", () => (this.named = Number(location.hash.slice(1))));
  }

  /** Open what the address names, listed or not; one that is none is told. */
  openNamed() {
    if (Number.isInteger(this.named) && this.named > 0) this.open(this.named);
    this.named = 0;
  }

  /** @param {number} id */
  async open(id) {
    const found = await ask(`/api/alarms/${id}`).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
    if (found.problem) {
      this.dialog.show("This alarm", null, {}, [element("p", { class: "wrong", role: "alert" }, found.problem)]);
      return;
    }
    const none = found.why ? [] : [element("p", { class: "note" }, "Why its row was there was not kept.")];
    this.dialog.show(alarmName(found), found.why ?? null, found.row, [...none, ...told(found.notices), ...(stands(found) ? this.#forms(found) : [])]);
  }

  /** What may be done with an alarm that stands. @param {Alarm} alarm */
  #forms(alarm) {
    const problem = element("p", { class: "wrong", role: "alert" });
    const send = async (/** @type {string} */ what, /** @type {any} */ body) => {
      const wrong = await this.act(`/api/alarms/${alarm.id}/${what}`, body);
      setText(problem, wrong);
      if (!wrong) this.element.close();
    };
    const note = form("Note for the others", alarm.acknowledged === null ? "Acknowledge with it" : "Write it", [text("note", "on my way", alarm.note ?? "")], ({ note: words }) => send("acknowledge", { note: words }));
    const times = Object.entries(SHELVES).map(([words, minutes]) => element("option", { value: String(minutes) }, `for ${words}`));
    const wholes = [element("option", { value: "" }, "this one"), element("option", { value: "whole" }, `all of ${alarmName(alarm)}`)];
    const shelf = form("Tell nobody", "Shelve", [select("whole", "Which", wholes), select("minutes", "How long", times), text("reason", "the lamp is on order", "")], ({ minutes, whole, reason }) => send("shelve", { minutes: Number(minutes), whole: whole === "whole", reason }));
    const clear = form("Take it off the list, although it stands", "Clear", [], () => send("clear", {}));
    return [element("h3", {}, "What you do"), problem, note, shelf, clear];
  }
}

/** @param {string} label @param {string} act @param {HTMLElement[]} fields @param {(said: Record<string, string>) => void} submit */
function form(label, act, fields, submit) {
  const made = element("form", { class: "alarm-form" }, element("span", {}, label), ...fields, element("button", { class: "act" }, act));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (made)))));
  });
  return made;
}

/** @param {string} name @param {string} placeholder @param {string} value */
const text = (name, placeholder, value) => element("input", { name, placeholder, value, "aria-label": name, maxlength: "500", autocomplete: "off" });

/** @param {string} name @param {string} label @param {HTMLElement[]} options */
const select = (name, label, options) => element("select", { name, "aria-label": label }, ...options);

/** @param {Notice[]} notices */
function told(notices) {
  const lines = notices.map(({ channel, what, made, due, tries, sent, problem }) => {
    const how = sent === null ? `${problem ?? "waits"}${due === null ? ", given up" : ""}${tries ? `, ${plural(tries, "try", "tries")}` : ""}` : `told ${dayAndTime(sent)}`;
    return element("li", {}, `${channel}, ${what} ${dayAndTime(made)}: ${how}`);
  });
  const none = element("p", { class: "note" }, "Nobody: its rule names no channel, or it was on the shelf.");
  return [element("h3", {}, "Who was told"), lines.length ? element("ul", { class: "why-list" }, ...lines) : none];
}
