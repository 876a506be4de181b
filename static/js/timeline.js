/**
 * The bar by which the map is taken back in time: a slider over a window that ends now, play at several speeds.
 *
 * At the slider's end is the present. While a moment is shown the window stands still, so that the thumb does.
 */

import { byId, element, setText } from "./dom.js";
import { agoWords, momentWords } from "./format.js";

const SECOND = 1_000_000;
const FRAME = 400; // milliseconds between two moments while it plays
const WINDOWS = /** @type {const} */ ([
  ["hour", "last hour", 3600, 5],
  ["day", "last day", 86_400, 60],
  ["week", "last week", 604_800, 600],
  ["month", "last 30 days", 2_592_000, 1800],
]);

export class Timeline {
  /** @param {import("./past.js").Past} past @param {import("./feed.js").Feed} feed @param {() => void} settled told when a moment stays */
  constructor(past, feed, settled) {
    this.past = past;
    this.feed = feed;
    this.settled = settled;
    this.bar = byId("timeline");
    this.slider = /** @type {HTMLInputElement} */ (byId("past-at"));
    this.window = /** @type {HTMLSelectElement} */ (byId("past-window"));
    this.speed = /** @type {HTMLSelectElement} */ (byId("past-speed"));
    this.window.append(...WINDOWS.map(([id, name]) => element("option", { value: id }, name)));
    this.window.value = "day";
    /** @type {import("./past.js").Span} */
    this.span = { from: null, until: null, gaps: [], views: [] };
    this.playing = 0;
    /** whether a moment was asked for, shown yet or not */
    this.isThen = false;
    /** @type {Promise<boolean> | null} */
    this.showing = null;
    this.#listen();
  }

  /** Whether there is such a bar for who looks. */
  get isThere() {
    return !byId("past-open").hidden;
  }

  #listen() {
    byId("past-open").addEventListener("click", () => (this.bar.hidden ? this.open() : this.close()));
    byId("past-now").addEventListener("click", () => this.now());
    byId("past-mark-now").addEventListener("click", () => this.now());
    byId("past-play").addEventListener("click", () => (this.playing ? this.pause() : this.#play()));
    this.slider.addEventListener("input", () => this.#slid());
    this.slider.addEventListener("change", async () => {
      await this.showing;
      this.settled();
    });
    this.window.addEventListener("change", () => this.#frame());
    this.past.addEventListener("change", () => this.#paint());
    this.feed.addEventListener("look", () => this.bar.hidden || this.isThen || this.#frame());
  }

  async open() {
    this.bar.hidden = false;
    byId("past-open").setAttribute("aria-expanded", "true");
    try {
      this.span = await this.past.span();
      this.past.problem = "";
    } catch (error) {
      this.past.problem = /** @type {Error} */ (error).message;
    }
    this.#frame();
    this.#paint();
  }

  close() {
    this.now();
    this.bar.hidden = true;
    byId("past-open").setAttribute("aria-expanded", "false");
  }

  /** Show a moment, in the smallest window that has it. @param {number} at in microseconds */
  async goTo(at) {
    if (this.bar.hidden) await this.open();
    const back = (this.#end() - at) / SECOND;
    this.window.value = (WINDOWS.find(([, , seconds]) => back <= seconds) ?? WINDOWS[WINDOWS.length - 1])[0];
    this.#frame();
    await this.#show(at);
    this.slider.value = String(Math.round(at / SECOND));
    this.settled();
  }

  now() {
    this.pause();
    this.isThen = false;
    this.past.back();
    this.#frame();
    this.settled();
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = 0;
    this.#paint();
    this.settled();
  }

  #end() {
    return this.feed.at || this.span.until || Date.now() * 1000;
  }

  /** Lay the window over the slider; it has whole seconds. */
  #frame() {
    const [, , seconds, step] = WINDOWS.find(([id]) => id === this.window.value) ?? WINDOWS[1];
    const end = Math.floor(this.#end() / SECOND);
    const first = this.span.from ? Math.ceil(this.span.from / SECOND) : end;
    const start = Math.max(end - seconds, Math.min(first, end - 60));
    Object.assign(this.slider, { min: String(start), max: String(end), step: String(step) });
    this.slider.value = String(this.past.at ? Math.round(this.past.at / SECOND) : end);
    setText(byId("past-from"), momentWords(start * SECOND, end * SECOND));
    this.#drawGaps(start, end);
    this.#paint();
  }

  #drawGaps(/** @type {number} */ start, /** @type {number} */ end) {
    const share = (/** @type {number} */ at) => Math.min(1, Math.max(0, (at / SECOND - start) / (end - start)));
    const marks = this.span.gaps
      .filter(([from, to]) => to / SECOND > start && from / SECOND < end && share(to) - share(from) > 0.002)
      .map(([from, to]) => {
        const mark = element("span", { class: "gap-mark", title: `nothing was recorded from ${momentWords(from, this.#end())} to ${momentWords(to, this.#end())}` });
        Object.assign(mark.style, { left: `${100 * share(from)}%`, width: `${100 * (share(to) - share(from))}%` });
        return mark;
      });
    byId("past-gaps").replaceChildren(...marks);
  }

  #slid() {
    const { value, max, step } = this.slider;
    if (Number(value) + Number(step) > Number(max)) this.now();
    else this.#show(Number(value) * SECOND);
  }

  #show(/** @type {number} */ at) {
    this.isThen = true;
    this.showing = this.past.show(at);
    return this.showing;
  }

  #play() {
    const first = Number(this.slider.min) * SECOND;
    let before = performance.now();
    const step = async () => {
      const passed = (performance.now() - before) * 1000 * Number(this.speed.value);
      before = performance.now();
      const at = (this.past.at || first) + passed;
      if (at >= this.#end() - SECOND) return this.now();
      await this.#show(at);
      if (this.past.problem) return this.pause();
      this.slider.value = String(Math.round(at / SECOND));
      if (this.playing) this.playing = setTimeout(step, FRAME);
    };
    this.playing = setTimeout(step, 0);
    this.#paint();
  }

  #paint() {
    const { at, gap, problem } = this.past;
    const now = this.#end();
    const words = at ? `${momentWords(at, now)}, ${agoWords(at, now)}` : "now";
    setText(byId("past-words"), words);
    setText(byId("past-mark-words"), words);
    byId("past-mark").hidden = !at;
    byId("past-now").hidden = !at;
    this.slider.setAttribute("aria-valuetext", words);
    this.slider.disabled = this.span.from === null;
    const play = /** @type {HTMLButtonElement} */ (byId("past-play"));
    play.disabled = this.span.from === null;
    play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    play.dataset.playing = String(Boolean(this.playing));
    setText(byId("past-note"), problem || this.#noteOf(gap, now));
    byId("past-note").hidden = !byId("past-note").textContent;
  }

  #noteOf(/** @type {[number, number] | null} */ gap, /** @type {number} */ now) {
    if (this.span.from === null) return "No past of what the map shows is kept here.";
    if (gap) return `Nothing was recorded from ${momentWords(gap[0], now)} to ${momentWords(Math.min(gap[1], now), now)}; this is what was known before.`;
    const untold = Object.keys(this.past.untold).map((view) => view.replaceAll("_", " "));
    return untold.length && this.past.at ? `Not recorded then: ${untold.join(", ")}.` : "";
  }
}
