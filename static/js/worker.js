/**
 * The worker of the pages: without a network a page that is loaded says so, in our words.
 *
 *     navigation ─→ network ─fails→ /unreachable, kept since the installation
 *
 * Everything else goes past it, and nothing of the building is ever kept: what is old must not look live.
 */

const KEPT = "smartcis-1";
const PAGE = "/unreachable";
const LOOKS = ["css/base.css", "css/card.css", "js/theme.js", "js/unreachable.js", "favicon.svg"].map((name) => `/static/${name}`);
/** A page names its files under the hash of all of them; they are kept, and found again, without it. */
const HASH = /^\/static\/v-[0-9a-f]+\//;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll([PAGE, ...LOOKS])));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname.replace(HASH, "/static/");
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(PAGE)));
  else if (LOOKS.includes(path)) event.respondWith(fetch(request).catch(() => caches.match(path)));
});
