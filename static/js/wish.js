/** What somebody looks for, and how fast they walk. */

/** @typedef {"machine" | "desk" | "room" | "to"} Kind */
/** @typedef {{kind: Kind, software: string, equipment: string, to: string, step_free: boolean}} Wish */
/** @typedef {"slow" | "normal" | "fast"} Pace */

/** @type {Readonly<Wish>} */
export const USUAL = Object.freeze({ kind: "machine", software: "", equipment: "", to: "", step_free: false });

/** How long one takes, as a share of the usual. @type {Record<Pace, number>} */
export const PACES = { slow: 1.4, normal: 1, fast: 0.8 };

/** @type {Record<Kind, string>} */
export const KINDS = { machine: "A free computer", desk: "A free desk", room: "A free room", to: "A room or a thing by name" };

/** @param {any} said @returns {Wish} */
export const wishOf = (said) => ({ ...USUAL, ...said });

/** Only what is asked for. @param {Wish} wish @returns {Record<string, any>} */
export function bodyOf(wish) {
  /** @type {Record<string, any>} */
  const body = { kind: wish.kind };
  if (wish.kind === "machine" && wish.software) body.software = wish.software;
  if (wish.kind !== "to" && wish.equipment) body.equipment = wish.equipment;
  if (wish.kind === "to") body.to = wish.to;
  if (wish.step_free) body.step_free = true;
  return body;
}

/** @param {Wish} wish */
export const isUsual = (wish) => JSON.stringify(bodyOf(wish)) === JSON.stringify(bodyOf(USUAL));

/** Whether there is something to look for: a name may be missing yet. @param {Wish} wish */
export const isWhole = (wish) => wish.kind !== "to" || wish.to !== "";

/** What one calls it: "free machine with Matlab". @param {Wish} wish @param {string} name of the thing that was named */
export function calledOf(wish, name) {
  const having = [wish.kind === "machine" ? wish.software : "", wish.kind === "to" ? "" : wish.equipment].filter(Boolean).join(" and ");
  const what = wish.kind === "to" ? name || "what you name" : `free ${wish.kind}`;
  return `${what}${having ? ` with ${having}` : ""}`;
}
