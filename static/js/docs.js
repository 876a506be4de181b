/** The book: its search, the words that were searched for, and lists that a narrow screen begins with closed. */

import { markWords } from "./docs_marks.js";
import { DocsSearch } from "./docs_search.js";

const NARROW = "(max-width: 60rem)";
const MIDDLE = "(max-width: 82rem)";

function closeWhatIsInTheWay() {
  if (matchMedia(NARROW).matches) document.querySelector(".docs-chapters")?.removeAttribute("open");
  if (matchMedia(MIDDLE).matches) document.querySelector(".docs-contents")?.removeAttribute("open");
}

/** Mark what was searched for, and show the first of it in the section that the address names. */
function showWhatWasSearchedFor() {
  const words = new URLSearchParams(location.search).get("words") ?? "";
  const text = document.querySelector(".docs-text");
  const marked = text ?? document;
  for (const part of text ? [text] : marked.querySelectorAll("[data-marked]")) markWords(part, words);
  const heading = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const first = [...(text?.querySelectorAll("mark") ?? [])].find((mark) => !heading || heading.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING);
  if (words && first) first.scrollIntoView({ block: "center" });
}

closeWhatIsInTheWay();
showWhatWasSearchedFor();
const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".docs-search"));
if (form) new DocsSearch(form);
