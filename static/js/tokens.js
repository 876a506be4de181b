/** API tokens: one's own, which are made here, or all, for an admin to take back. */

import { ask, post } from "./ask.js";
import { byId, element, setText } from "./dom.js";
import { dayAndTime, plural } from "./format.js";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** @typedef {{id: string, of: string, name: string, role: string, reads_only: boolean, until: number, seen: number | null, mine: boolean}} Token */

const list = byId("tokens");
const isOwn = "mine" in list.dataset;

async function show() {
  const tokens = /** @type {Token[]} */ ((await ask("/api/tokens")).tokens).filter((token) => token.mine || !isOwn);
  setText(byId("token-count"), plural(tokens.length, "token"));
  list.replaceChildren(...tokens.map(line));
}

/** @param {Token} token */
function line({ id, of, name, role, reads_only, until, seen }) {
  const over = until <= Date.now() * 1000;
  const whose = isOwn ? name : `${name} of ${of}`;
  const told = [`${over ? "was good until" : "good until"} ${day.format(new Date(until / 1000))}`, seen ? `used ${dayAndTime(seen)}` : "never used"];
  const take = () => confirm(`Take back the token ${whose}? What uses it is refused from then on.`) && act(async () => {
    await ask(`/api/tokens/${id}`, { method: "DELETE" });
    return [`The token ${whose} was taken back.`];
  });
  return element(
    "li",
    { "data-state": over ? "disabled" : "active" },
    element("strong", {}, whose),
    element("span", {}, reads_only ? `${role}, reads only` : role),
    element("span", { class: "account-told" }, told.join(" · ")),
    element("span", { class: "account-acts" }, element("button", { type: "button", class: "link", "aria-label": `Take back ${whose}`, click: take }, "Take back")),
  );
}

/** @param {() => Promise<(string | Node)[]>} action what to do; it returns what is said of it */
async function act(action) {
  const said = await action().catch((error) => /** @type {Error} */ (error));
  const failed = said instanceof Error;
  setText(byId("token-problem"), failed ? said.message : "");
  const isToldOnce = failed && byId("token-made").querySelector("code"); // a second click must not take a token away
  if (!isToldOnce) byId("token-made").replaceChildren(...(failed ? [] : said));
  await show();
}

/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement} */ (byId(id));

document.getElementById("make-token")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = { name: input("token-name").value.trim(), role: input("token-role").value, days: Number(input("token-days").value), reads_only: input("token-reads").checked };
  act(async () => {
    const made = await post("/api/tokens", asked);
    input("token-name").value = "";
    return [`The token ${made.name}; copy it now, it is not shown again:`, element("code", {}, made.token)];
  });
});
await show().catch((error) => setText(byId("token-problem"), `The tokens could not be read: ${error.message}`));
document.documentElement.dataset.tokens = "true";
