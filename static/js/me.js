/** One's own account: another password, and the end of sessions elsewhere. */

import { ask } from "./ask.js";
import { byId, setText } from "./dom.js";

/** @param {string} path @param {string} method @param {any} [body] */
async function act(path, method, body) {
  const how = { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) };
  const said = await ask(path, how).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  const sentence = said.problem ?? said.done;
  setText(byId(said.problem ? "problem" : "done"), `${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
  setText(byId(said.problem ? "done" : "problem"), "");
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("password"));
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [old, fresh] = ["old", "new"].map((id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id))?.value ?? "");
  await act("/api/me/password", "POST", { old, new: fresh });
  form.reset();
});
document.getElementById("end")?.addEventListener("click", () => act("/api/me/sessions", "DELETE"));
document.documentElement.dataset.ready = "true";
