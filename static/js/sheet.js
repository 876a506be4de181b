/** On a phone the side pane is a sheet at the bottom: peek, half, full; pulled, or stepped by its handle. */

const STEPS = ["peek", "half", "full"];

export class Sheet {
  /** @param {HTMLElement} sheet @param {HTMLElement} handle */
  constructor(sheet, handle) {
    this.sheet = sheet;
    this.from = 0;
    this.pulled = false;
    handle.addEventListener("click", () => this.pulled || this.set(this.#next()));
    handle.addEventListener("pointerdown", (event) => {
      this.from = event.clientY;
      this.pulled = false;
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointerup", (event) => this.#let(event.clientY - this.from));
    this.handle = handle;
    this.set("peek");
  }

  /** @param {string} step */
  set(step) {
    this.sheet.dataset.sheet = step;
    this.handle.setAttribute("aria-expanded", String(step !== "peek"));
  }

  /** Show at least half, where the sheet is a sheet. */
  raise() {
    if (this.sheet.dataset.sheet === "peek") this.set("half");
    this.sheet.querySelector(".side-scroll")?.scrollTo({ top: 0 });
  }

  /** How many pixels of the map it hides. */
  covered() {
    const map = document.getElementById("map")?.getBoundingClientRect();
    const isSheet = getComputedStyle(this.sheet).position === "fixed";
    return map && isSheet && this.sheet.dataset.sheet !== "peek" ? Math.max(0, map.bottom - innerHeight * 0.54) : 0;
  }

  #let(/** @type {number} */ distance) {
    this.pulled = Math.abs(distance) > 24;
    if (!this.pulled) return;
    const at = STEPS.indexOf(this.sheet.dataset.sheet ?? "peek") + (distance < 0 ? 1 : -1);
    this.set(STEPS[Math.max(0, Math.min(STEPS.length - 1, at))]);
  }

  #next() {
    return STEPS[(STEPS.indexOf(this.sheet.dataset.sheet ?? "peek") + 1) % STEPS.length];
  }
}
