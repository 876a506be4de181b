/** Kiosks and their links, for an admin. */

import { byId, element, setText } from "./dom.js";
import { plural } from "./format.js";
import { sent } from "./hold.js";

async function show() {
  const answer = await fetch("/api/kiosks").catch(() => null);
  if (!answer?.ok) return setText(byId("problem"), "The kiosks could not be read; load the page again.");
  const { kiosks } = await answer.json();
  setText(byId("count"), plural(kiosks.length, "kiosk"));
  byId("nothing").hidden = kiosks.length > 0;
  byId("kiosks").replaceChildren(...kiosks.map(line));
}

/** @param {{name: string, point: string}} kiosk */
function line({ name, point }) {
  const remove = async () => {
    if (!confirm(`Take the link of ${name} back? It shows nothing from then on.`)) return;
    await change({ name, removed: true }, `The link of ${name} was taken back.`);
  };
  const button = element("button", { type: "button", click: remove, "aria-label": `Take the link of ${name} back` }, "Take back");
  return element("li", {}, element("strong", {}, name), element("span", {}, `stands at ${point}`), button);
}

/** @param {any} body @param {string} done */
async function change(body, done) {
  const said = await sent("/api/kiosks", "POST", body);
  setText(byId("problem"), said.error ?? "");
  const address = said.link ? new URL(said.link, location.origin).href : "";
  const isToldOnce = said.error && byId("made").querySelector("code"); // a second click must not take a link away
  if (!isToldOnce) byId("made").replaceChildren(...(said.error ? [] : [done, ...(address ? [element("code", {}, address)] : [])]));
  await show();
}

byId("make").addEventListener("submit", (event) => {
  event.preventDefault();
  const [name, point] = ["name", "point"].map((id) => /** @type {HTMLInputElement} */ (byId(id)).value.trim());
  change(point ? { name, point } : { name }, `Open this on the browser of ${name}:`);
});
await show();
document.documentElement.dataset.ready = "true";
