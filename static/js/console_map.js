/**
 * An answer on the plan of the building: a column that names places, another that colours them; what they are is
 * found by what the values are known as, and may be picked. Rows that name no place are counted and said.
 */

import { FOLDS, figureText, foldOf, ROWS } from "./answer_values.js";
import { AnswerPlan } from "./answer_plan.js";
import { columnOptions, Picks } from "./console_picks.js";
import { kindOf } from "./console_table.js";
import { element, oncePerFrame, setText } from "./dom.js";
import { plural, valueText } from "./format.js";
import { kindIn, placed } from "./place_choice.js";
import { KINDS, PlaceIndex } from "./place_index.js";
import { laid } from "./placed_values.js";
import { scaleOf } from "./value_scale.js";

/** @typedef {import("./place_choice.js").MapChoice} MapChoice */
/** @typedef {import("./placed_values.js").PlacedValue} PlacedValue */

const BOXES = /** @type {const} */ ([["place", "Places in"], ["kind", "are"], ["value", "coloured by"], ["fold", "several rows are"]]);
const ROWS_SHOWN = 5; // of a place

export class AnswerMap {
  /** @param {HTMLElement} where @param {import("./console_rows.js").Rows} rows */
  constructor(where, rows) {
    this.where = where;
    this.rows = rows;
    /** @type {import("./answer_values.js").Column[]} */
    this.columns = [];
    /** @type {MapChoice | null} */
    this.choice = null;
    this.isPicked = false;
    this.more = 0;
    const picks = element("div", { class: "picks", role: "group", "aria-label": "What the plan shows" });
    this.picks = new Picks(picks, BOXES, (name, value) => this.#pick(name, value));
    this.floors = element("fieldset", { class: "pills map-floors" }, element("legend", { class: "unseen" }, "Floor"));
    this.words = element("p", { class: "chart-words", role: "status" }, "Fetching the plan …");
    this.canvas = element("div", { class: "answer-plan" });
    this.legend = element("ul", { class: "answer-legend", "aria-label": "What the colours mean" });
    this.told = element("p", { class: "chart-words place-told", role: "status" });
    where.replaceChildren(picks, this.words, this.floors, this.canvas, this.legend, this.told);
    this.paint = oncePerFrame(() => this.#paint());
  }

  /** @param {import("./answer_values.js").Column[]} columns @param {boolean} isOther whether it answers another query */
  begin(columns, isOther) {
    this.columns = columns;
    if (isOther) [this.choice, this.isPicked] = [null, false];
    setText(this.told, "");
    this.paint();
  }

  /** Fetch what there is to be named, once. */
  #fetched() {
    this.fetching ??= PlaceIndex.fetch().then(
      (index) => this.#have(index),
      (error) => setText(this.words, `The plan could not be fetched: ${/** @type {Error} */ (error).message}`),
    );
  }

  #have(/** @type {PlaceIndex} */ index) {
    this.index = index;
    this.plan = new AnswerPlan(this.canvas, index.building, (place, id) => this.#tell(place, id));
    for (const { floor, label } of index.building.floors) {
      const input = element("input", { type: "radio", name: "answer-floor", value: String(floor), checked: floor === index.building.entry, change: () => this.#floor(floor) });
      this.floors.append(element("label", {}, input, element("span", { "data-floor": String(floor), "data-label": label }, label)));
    }
    this.#floor(index.building.entry);
  }

  #floor(/** @type {number} */ floor) {
    this.plan?.floor(floor);
    this.paint();
  }

  #pick(/** @type {string} */ name, /** @type {string} */ value) {
    if (!this.choice || !this.index) return;
    const choice = { ...this.choice, [name]: name === "place" || name === "value" ? Number(value) : value };
    if (name === "place") choice.kind = kindIn(this.columns, this.#held(), this.index, choice.place).kind;
    if (name === "value") choice.fold = foldOf(this.columns, choice.value);
    this.choice = choice;
    this.isPicked = true;
    this.paint();
  }

  #held() {
    return this.rows.shown.filter(({ count }) => count > 0);
  }

  #paint() {
    if (this.where.hidden || !this.columns.length) return;
    this.#fetched();
    if (!this.index || !this.plan) return;
    const held = this.#held();
    if (!this.choice || (!this.isPicked && this.wasEmpty)) this.choice = placed(this.columns, held, this.index);
    this.wasEmpty = held.length === 0;
    this.#offer(this.choice);
    const { places, areFigures, without, strangers } = laid(held, this.columns, this.choice, this.index);
    const scale = scaleOf(places.map(({ value }) => value), areFigures);
    const classOf = (/** @type {any} */ value) => (scale.of(value) === null ? "none" : `${scale.kind === "figures" ? "scale" : "series"}-${scale.of(value)}`);
    const textOf = (/** @type {any} */ value) => (value === null ? "no value" : areFigures ? figureText(value) : String(value));
    this.plan.show({ places, classOf, textOf }, this.index.kinds.get(this.choice.kind)?.values() ?? []);
    this.#explain(scale, places.some(({ value }) => value === null));
    this.#count(places);
    this.#say(places.length, without, strangers);
  }

  #explain(/** @type {import("./value_scale.js").Scale} */ scale, /** @type {boolean} */ hasNone) {
    const kind = scale.kind === "figures" ? "scale" : "series";
    const entries = [...scale.classes.map((text, nth) => [`${kind}-${nth}`, text]), ...(hasNone ? [["none", "no value"]] : []), ["empty", "no row"]];
    this.legend.replaceChildren(...entries.map(([id, text]) => element("li", {}, element("span", { class: "key-spot", "data-class": id }), text)));
  }

  #count(/** @type {PlacedValue[]} */ places) {
    for (const span of /** @type {NodeListOf<HTMLElement>} */ (this.floors.querySelectorAll("[data-floor]"))) {
      const count = places.filter(({ spot }) => String(spot.floor) === span.dataset.floor).length;
      setText(span, `${span.dataset.label} · ${count}`);
    }
  }

  #say(/** @type {number} */ count, /** @type {number} */ without, /** @type {string[]} */ strangers) {
    const [, kinds] = KINDS.find(([kind]) => kind === this.choice?.kind) ?? ["", "places"];
    const named = strangers.join(", ");
    const lost = without ? ` ${without.toLocaleString("en-GB")} ${without === 1 ? "row names" : "rows name"} none of the building's: ${named}${without > strangers.length ? " …" : ""}.` : "";
    const unsent = this.more ? ` ${this.more.toLocaleString("en-GB")} rows that are not sent are left out.` : "";
    setText(this.words, `${plural(count, "place")} among the ${kinds}.${lost}${unsent}`);
  }

  /** Say the rows of a place. @param {PlacedValue | undefined} place @param {string} id */
  #tell(place, id) {
    const rows = (place?.rows ?? []).slice(0, ROWS_SHOWN).map((cells) => cells.map((value, at) => `${this.columns[at].name} ${valueText(value, this.columns[at].type)}`).join(", "));
    const more = (place?.rows.length ?? 0) - rows.length;
    setText(this.told, place ? `${id}: ${rows.join("; ")}${more > 0 ? `; and ${plural(more, "row")} more` : ""}.` : `${id}: no row.`);
  }

  #offer(/** @type {MapChoice} */ choice) {
    this.picks.offer("place", columnOptions(this.columns), String(choice.place));
    this.picks.offer("kind", KINDS.map(([kind, text]) => [kind, text]), choice.kind);
    this.picks.offer("value", [[String(ROWS), "the number of rows"], ...columnOptions(this.columns, (at) => at !== choice.place)], String(choice.value));
    this.picks.offer("fold", FOLDS.map(([id, text]) => [id, text]), choice.fold, choice.value !== ROWS && kindOf(this.columns[choice.value].type) === "number");
  }
}
