/** Accounts, for an admin: who may sign in, with which role; invitations. */

import { ask } from "./ask.js";
import { byId, element, setText } from "./dom.js";
import { dayAndTime, plural } from "./format.js";

/** @typedef {{name: string, role: string, state: "active" | "invited" | "disabled", made: number, seen: number | null, link?: string}} Account */

const ROLES = (byId("accounts").dataset.roles ?? "").split(" ");
const STATES = { active: "", invited: "has no password yet", disabled: "may not sign in" };

async function show() {
  const { accounts } = await ask("/api/accounts");
  setText(byId("count"), plural(accounts.length, "account"));
  byId("accounts").replaceChildren(...accounts.map(line));
}

/** @param {Account} account */
function line({ name, role, state, seen }) {
  const path = `/api/accounts/${encodeURIComponent(name)}`;
  const roles = element("select", { "aria-label": `Role of ${name}`, change: (event) => act(path, "PATCH", `${name} has another role now.`, { role: /** @type {HTMLSelectElement} */ (event.target).value }) }, ...ROLES.map((each) => element("option", { selected: each === role }, each)));
  const told = [STATES[state], seen ? `signed in ${dayAndTime(seen)}` : ""].filter(Boolean).join(" · ");
  const remove = () => confirm(`Remove the account ${name}?`) && act(path, "DELETE", `The account ${name} was removed.`);
  return element(
    "li",
    { "data-state": state },
    element("strong", {}, name),
    roles,
    element("span", { class: "account-told" }, told),
    element("span", { class: "account-acts" },
      button(`Make an invitation for ${name}`, "Invite", () => act(`${path}/invitation`, "POST", `Send this to ${name}:`)),
      button(`${state === "disabled" ? "Let in" : "Keep out"} ${name}`, state === "disabled" ? "Let in" : "Keep out", () => act(path, "PATCH", `${name} ${state === "disabled" ? "may sign in again" : "is signed out and may not sign in"}.`, { disabled: state !== "disabled" })),
      button(`Remove ${name}`, "Remove", remove)),
  );
}

/** @param {string} label @param {string} text @param {() => void} click */
const button = (label, text, click) => element("button", { type: "button", class: "link", "aria-label": label, click }, text);

/** @param {string} path @param {string} method @param {string} done @param {any} [body] */
async function act(path, method, done, body) {
  const how = { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) };
  const said = await ask(path, how).catch((error) => ({ problem: /** @type {Error} */ (error).message }));
  setText(byId("problem"), said.problem ?? "");
  const address = said.link ? new URL(said.link, location.origin).href : "";
  const isToldOnce = said.problem && byId("changed").querySelector("code"); // a second click must not take a link away
  if (!isToldOnce) byId("changed").replaceChildren(...(said.problem ? [] : [done, ...(address ? [element("code", {}, address)] : [])]));
  await show();
}

byId("make").addEventListener("submit", (event) => {
  event.preventDefault();
  const [name, role] = ["name", "role"].map((id) => /** @type {HTMLInputElement} */ (byId(id)).value.trim());
  act("/api/accounts", "POST", `Send this to ${name}:`, { name, role });
});
try {
  await show();
} catch (error) {
  setText(byId("problem"), `The accounts could not be read: ${/** @type {Error} */ (error).message}`);
}
document.documentElement.dataset.ready = "true";
