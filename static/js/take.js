/** The buttons of a way: take me there, I am there, cancel; on a phone; printed. And for how long the target is kept. */

import { byId, setText } from "./dom.js";
import { HandOver } from "./hand.js";

/** @param {import("./way.js").Way} way */
export function showTaking(way) {
  const { hold } = way;
  const hand = new HandOver(/** @type {HTMLDialogElement} */ (byId("hand")), way);
  let asking = false;
  const paint = () => {
    const isHeld = hold.id !== "";
    byId("way-acts").hidden = !way.route && !isHeld && !way.asked;  // hidden, a button would lose the focus
    byId("way-take").hidden = isHeld || way.wish.kind === "to";
    byId("way-arrived").hidden = byId("way-cancel").hidden = byId("way-held").hidden = !isHeld;
    setText(byId("way-held"), isHeld ? keptFor(hold) : "");
    byId("way-problem").hidden = hold.problem === "";
    setText(byId("way-problem"), hold.problem);
  };
  const take = async () => {
    if (asking) return;
    asking = true;
    way.hush();
    await hold.take(way.wish, way.start, way.kiosk.name || "map");
    asking = false;
    if (hold.id) byId("way-arrived").focus();
  };
  const end = async (/** @type {"arrived" | "cancelled"} */ reason) => {
    way.hush();
    await hold.end(reason);
    byId("way-take").focus();
  };
  byId("way-take").addEventListener("click", take);
  byId("way-arrived").addEventListener("click", () => end("arrived"));
  byId("way-cancel").addEventListener("click", () => end("cancelled"));
  byId("way-phone").addEventListener("click", () => hand.open());
  byId("way-print").addEventListener("click", () => print());
  way.onChange(paint);
  setInterval(() => hold.id && paint(), 1000);
  paint();
}

/** @param {import("./hold.js").Hold} hold */
export function keptFor({ left, until }) {
  if (!until) return "Kept for you";
  return `Kept for you for ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} minutes`;
}
