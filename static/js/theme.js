/**
 * Light or dark: as the system has it, or as somebody chose for this browser. A plain script in the head, so
 * that no page is drawn in the other first; it marks the root, and a page's choice of `[data-theme-choice]`
 * turns it. Whoever draws with colours of its own listens for "theme" on the document.
 */

(() => {
  const KEY = "smartcis-theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      return localStorage.getItem(KEY) ?? "system";
    } catch {
      return "system"; // storage may be forbidden here
    }
  }

  function apply() {
    const choice = chosen();
    const theme = choice === "light" || choice === "dark" ? choice : dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
    document.dispatchEvent(new Event("theme"));
  }

  function keep(/** @type {string} */ choice) {
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      return; // it holds for this page then
    }
    apply();
  }

  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("DOMContentLoaded", () => {
    for (const select of /** @type {NodeListOf<HTMLSelectElement>} */ (document.querySelectorAll("[data-theme-choice]"))) {
      select.value = chosen();
      select.addEventListener("change", () => keep(select.value));
    }
  });
  apply();
})();
