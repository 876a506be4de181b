/** For staff: where the kiosk is taken to stand, one of those that have a link, or any entrance. */

import { element } from "./dom.js";

/** @param {HTMLSelectElement} select @param {import("./way.js").Way} way @param {() => void} [then] */
export async function offerPlaces(select, way, then = () => {}) {
  const { points } = way.ground;
  const answer = await fetch("/api/kiosks").catch(() => null);
  const kiosks = answer?.ok ? (await answer.json()).kiosks : [];
  const fill = () => {
    const ways = points.rows().filter((row) => ["entrance", "kiosk"].includes(String(row.kind)));
    const wanted = [
      ...kiosks.map((/** @type {any} */ kiosk) => [kiosk.point, `kiosk ${kiosk.name}`, kiosk.name]),
      ...ways.map((row) => [String(row.point), `${row.kind} ${row.point}, floor ${row.floor}`, ""]),
    ];
    const said = JSON.stringify(wanted);
    if (select.dataset.said === said) return;
    select.dataset.said = said;
    const chosen = select.value;
    const options = wanted.map(([point, text, name]) => element("option", { value: point, "data-name": name }, text));
    select.replaceChildren(element("option", { value: "" }, "the building's kiosk"), ...options);
    select.value = chosen;
  };
  points.onChange(fill);
  select.addEventListener("change", () => {
    way.standAt({ name: select.selectedOptions[0]?.dataset.name ?? "", point: select.value });
    then();
  });
  fill();
}
