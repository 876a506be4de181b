/** Tries again, every few seconds, until the server answers; then the page that was wanted is loaded. */

const EVERY = 4000;
const since = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(new Date());

setInterval(async () => {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (answer) location.reload();
}, EVERY);
const again = document.getElementById("again");
if (again) again.textContent = `No connection since ${since}. This page tries again by itself.`;
