/** Marks words in a text that is there already: each text node is cut where a word begins as one that is asked for. */

/** @param {string} words @returns {RegExp | null} */
export function patternOf(words) {
  const asked = words.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return asked.length ? new RegExp(`(?<![\\p{L}\\p{N}_])(?:${asked.join("|")})[\\p{L}\\p{N}_]*`, "giu") : null;
}

/** @param {Element} part @param {string} words */
export function markWords(part, words) {
  const pattern = patternOf(words);
  if (!pattern) return;
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts) text.replaceWith(...marked(text.data, pattern));
}

/** @param {string} text @param {RegExp} pattern @returns {(string | HTMLElement)[]} */
function marked(text, pattern) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const mark = document.createElement("mark");
    mark.textContent = found[0];
    parts.push(text.slice(end, found.index), mark);
    end = found.index + found[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}
