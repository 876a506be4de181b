/** The page of a view's plan: the drawing, alive while it is looked at; what lost; when the plan changed; whether ticks keep up. */

import { byId, element, setText } from "./dom.js";
import { clockTime } from "./format.js";
import { PlanDrawing } from "./plan_drawing.js";
import { showLost } from "./plan_lost.js";
import { showTurns } from "./plan_turns.js";
import { does, milliseconds } from "./plan_words.js";

const AGAIN = 1500; // milliseconds between two looks
const RESTS = 10; // times as long as a look took, at least

class PlanPage {
  constructor() {
    this.view = document.body.dataset.view ?? "";
    this.drawing = new PlanDrawing(byId("drawing"));
    this.isWeighed = false;
    this.switches = 0;
    this.seen = 0;
    document.addEventListener("visibilitychange", () => !document.hidden && this.#look());
    this.#look();
  }

  async #look() {
    clearTimeout(this.next);
    if (document.hidden) return;
    const began = performance.now();
    const how = this.isWeighed ? "?weighs=no" : "";
    const answer = await fetch(`/api/views/${encodeURIComponent(this.view)}/plan${how}`).catch(() => null);
    const found = await answer?.json().catch(() => null);
    if (answer?.ok && found) this.#show(found);
    else this.#fail(found?.error ?? "The server cannot be reached; it is tried again.", answer?.status === 401);
    this.next = setTimeout(() => this.#look(), Math.max(AGAIN, RESTS * (performance.now() - began)));
  }

  #show(/** @type {any} */ { plan, ticks }) {
    this.seen = Date.now() * 1000;
    this.#showParts(true);
    byId("plan-problem").hidden = !plan.suspended && !plan.missing.length;
    setText(byId("plan-problem"), plan.suspended ? `It does not run: ${plan.suspended}` : plan.missing.length ? `Without ${plan.missing.join(", ")}: not up, or still to answer.` : "");
    this.drawing.show(plan);
    if (!this.isWeighed) showLost(byId("lost"), plan);
    this.isWeighed = plan.turns.length === this.switches || !this.isWeighed; // after a change what lost is another
    this.switches = plan.turns.length;
    showTurns(byId("turns"), plan.turns);
    setText(byId("pressure"), this.#pressure(plan, ticks));
    byId("pressure").dataset.state = ticks?.state ?? "unknown";
    document.documentElement.dataset.ready = "true";
  }

  /** @param {boolean} shown */
  #showParts(shown) {
    for (const part of document.querySelectorAll("main > section")) part.toggleAttribute("hidden", !shown);
  }

  /** @param {any} plan @param {any} ticks */
  #pressure(plan, ticks) {
    const { rates } = this.drawing;
    const dearest = plan.nodes.reduce((/** @type {any} */ most, /** @type {any} */ node) => ((rates.of(node.id)?.seconds ?? 0) > (rates.of(most?.id)?.seconds ?? 0) ? node : most), null);
    const takes = dearest ? ` This plan takes ${milliseconds(rates.total)} of one, most of it (${((rates.of(dearest.id)?.share ?? 0) * 100).toFixed(0)} %) where it ${lower(does(dearest))}: ${dearest.what}.` : "";
    if (!ticks) return `How ticks go is not known here.${takes}`;
    const going = `One comes each ${milliseconds(ticks.every)} and takes ${milliseconds(ticks.takes)}, ${milliseconds(ticks.longest)} at most`;
    const state = { well: "Ticks keep up.", full: "Ticks come without a pause: more would be late.", late: `Ticks are late: the last is ${ticks.behind.toFixed(0)} s old.` }[/** @type {"well" | "full" | "late"} */ (ticks.state)];
    return `${state} ${going}.${takes}`;
  }

  /** What was drawn stays, said to be old; where nothing was, there is nothing to show. @param {string} problem @param {boolean} isStranger */
  #fail(problem, isStranger) {
    byId("plan-problem").hidden = false;
    byId("plan-problem").replaceChildren(problem, ...(isStranger ? [" ", element("a", { href: "/login" }, "Sign in again")] : []));
    byId("pressure").dataset.state = "unknown";
    setText(byId("pressure"), this.seen ? `The plan is shown as of ${clockTime(this.seen)}.` : "There is no plan to show.");
    this.#showParts(this.seen > 0);
    document.documentElement.dataset.ready = "true";
  }
}

/** @param {string} text */
const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);

new PlanPage();
