/** Channels, for an admin: who can be told of an alarm, by what; a try of each. */

import { ask } from "./ask.js";
import { byId, element, setText } from "./dom.js";

/** @typedef {{name: string, kind: string, settings: Record<string, string>}} Channel */

const KINDS = ["email", "webhook", "mqtt"];
const WORDS = { email: "e-mail", webhook: "web hook", mqtt: "MQTT" };
const form = /** @type {HTMLFormElement} */ (byId("make"));
const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

async function show() {
  const { channels } = await ask("/api/alarm-channels");
  byId("channels").replaceChildren(...channels.map(line));
  byId("nothing").hidden = channels.length > 0;
}

/** @param {Channel} channel */
function line(channel) {
  const { name, kind, settings } = channel;
  const path = `/api/alarm-channels/${encodeURIComponent(name)}`;
  const where = settings.to ?? settings.url ?? settings.topic;
  return element(
    "li",
    {},
    element("strong", {}, name),
    element("span", {}, WORDS[/** @type {keyof typeof WORDS} */ (kind)]),
    element("span", { class: "account-told" }, where),
    element("span", { class: "account-acts" },
      button(`Try ${name}`, "Try", () => act(`${path}/try`, "POST", `${name} was told.`, {})),
      button(`Change ${name}`, "Change", () => fill(channel)),
      button(`Remove ${name}`, "Remove", () => confirm(`Remove the channel ${name}?`) && act(path, "DELETE", `${name} was removed.`))),
  );
}

/** @param {string} label @param {string} text @param {() => void} click */
const button = (label, text, click) => element("button", { type: "button", class: "link", "aria-label": label, click }, text);

/** @param {Channel} channel */
function fill({ name, kind, settings }) {
  form.reset();
  for (const [key, value] of Object.entries({ name, kind, ...settings })) field(key).value = value;
  showKind();
  field("name").focus();
}

function showKind() {
  for (const kind of KINDS) {
    const part = /** @type {HTMLFieldSetElement} */ (byId(kind));
    part.hidden = part.disabled = kind !== field("kind").value;
  }
}

/** @param {string} path @param {string} method @param {string} done @param {any} [body] */
async function act(path, method, done, body) {
  setText(byId("done"), "");
  setText(byId("problem"), "");
  const how = { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) };
  const problem = await ask(path, how).then(() => "", (error) => /** @type {Error} */ (error).message);
  setText(byId(problem ? "problem" : "done"), problem || done);
  await show();
  return !problem;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, kind, ...settings } = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form)));
  const path = `/api/alarm-channels/${encodeURIComponent(name.trim())}`;
  if (await act(path, "PUT", `${name} is kept. Try it.`, { kind, settings })) form.reset();
  showKind();
});
field("kind").addEventListener("change", showKind);
showKind();
try {
  await show();
} catch (error) {
  setText(byId("problem"), `The channels could not be read: ${/** @type {Error} */ (error).message}`);
}
document.documentElement.dataset.ready = "true";
