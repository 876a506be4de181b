/** Installs the worker that says "not reachable" in our words when a page is loaded without a network; it keeps nothing else. */

export function keepWorker() {
  if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/worker.js").catch(() => {});
}
