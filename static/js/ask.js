/** Questions to the API: an answer, or an error that says why not. */

const AWAY = "SmartCIS cannot be reached; wait until it can, and try again.";

/** @param {string} path @param {RequestInit} [how] @returns {Promise<any>} what was answered, or an error that says why not */
export async function ask(path, how = {}) {
  const answer = await fetch(path, how).catch(() => null);
  if (!answer) throw new Error(AWAY);
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error ?? `${path} answered ${answer.status}`);
  return said;
}

/** @param {string} path @param {any} body */
export const post = (path, body) => ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
