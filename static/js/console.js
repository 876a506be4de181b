/** The console: a text is asked, its answer watched as it changes, and asked why. */

import { post } from "./ask.js";
import { Answer } from "./console_answer.js";
import { AskedList } from "./console_asked.js";
import { makeEditor } from "./console_editor.js";
import { shown } from "./console_once.js";
import { SavedList } from "./console_saved.js";
import { SchemaList } from "./console_schema.js";
import { byId, element, setText } from "./dom.js";
import { WhyDialog } from "./why_dialog.js";

/** @typedef {import("./console_editor.js").Language} Language */

const QUIET = 350; // milliseconds without a key until a text is looked at
const BEFORE = "DATALOG $$\n";
const AFTER = "\n$$";

class Console {
  /** @param {import("./console_editor.js").Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {import("./why_words.js").Shapes} */
    this.shapes = new Map();
    /** @type {Language} */
    this.language = "streamsql";
    this.answer = new Answer(new WhyDialog(/** @type {HTMLDialogElement} */ (byId("why")), this.shapes), (message, span) => this.#refuse(message, span));
    this.asked = new AskedList(byId("asked"), ({ text, language }) => this.#put(text, language));
    this.saved = new SavedList(({ text, language }) => this.#put(text, language), () => ({ text: this.editor.text, language: this.language }));
    this.schema = new SchemaList(byId("schema"), /** @type {HTMLInputElement} */ (byId("schema-search")), (text) => this.#put(text, "streamsql"));
    byId("watch").addEventListener("click", () => this.watch());
    byId("once").addEventListener("click", () => this.once());
    byId("share").addEventListener("click", () => this.#share());
    for (const choice of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[name=language]"))) choice.addEventListener("change", () => this.#speak(/** @type {Language} */ (choice.value)));
    for (const example of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-example]"))) example.addEventListener("click", () => this.#put(example.dataset.example ?? "", /** @type {Language} */ (example.dataset.language ?? "streamsql")));
    addEventListener("hashchange", () => this.#fromAddress());
  }

  async start() {
    this.#fromAddress();
    await Promise.all([this.#learn(), this.saved.look()]);
    document.documentElement.dataset.ready = "true";
    if (!matchMedia("(pointer: coarse)").matches) this.editor.focus();
  }

  /** The text as the server reads it. */
  get sql() {
    return this.language === "datalog" ? `${BEFORE}${this.editor.text}${AFTER}` : this.editor.text;
  }

  /** Look at a text while it is typed. */
  changed() {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.#look(), QUIET);
  }

  watch() {
    if (!this.#isSaid()) return;
    byId("outcomes").replaceChildren();
    this.answer.watch(this.sql);
  }

  async once() {
    if (!this.#isSaid()) return;
    this.answer.stop("");
    byId("watched").hidden = true;
    byId("outcomes").replaceChildren(element("p", { class: "note", role: "status" }, "Asking …"));
    const answer = await fetch("/api/statements", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ sql: this.sql }) }).catch(() => null);
    const said = await answer?.json().catch(() => null);
    byId("outcomes").replaceChildren(...(said?.outcomes ?? []).map((/** @type {any} */ outcome) => shown(outcome, this.shapes)));
    if (!said || !answer?.ok) this.#refuse(said?.error ?? "The server cannot be reached.", said?.span ?? null);
    if (said?.outcomes?.some((/** @type {any} */ outcome) => "done" in outcome)) await this.#learn();
  }

  async #learn() {
    const schema = await this.schema.look().catch(() => null);
    if (!schema) return;
    this.shapes.clear();
    for (const { name, columns } of schema.relations) this.shapes.set(name, columns);
    this.editor.knows(schema);
  }

  #isSaid() {
    clearTimeout(this.looking);
    this.#refuse("", null);
    if (!this.editor.text.trim()) {
      this.#refuse("There is nothing to ask yet: write a query, or take one of the examples.", null);
      return false;
    }
    this.asked.add({ text: this.editor.text, language: this.language });
    return true;
  }

  async #look() {
    const { sql } = this;
    if (!this.editor.text.trim()) {
      this.#refuse("", null);
      return;
    }
    const answer = await fetch("/api/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ sql }) }).catch(() => null);
    const said = await answer?.json().catch(() => null);
    if (sql !== this.sql || !said) return;
    this.#refuse(said.error ?? "", said.span ?? null);
    byId("watch").toggleAttribute("data-fits", said.use === "query");
    byId("once").toggleAttribute("data-fits", said.use === "read" || said.use === "change");
  }

  #refuse(/** @type {string} */ message, /** @type {import("./console_tail.js").Span | null} */ span) {
    const problem = byId("problem");
    setText(problem, message);
    problem.hidden = !message;
    const off = this.language === "datalog" ? BEFORE.length : 0;
    const [from, to] = span ? [span.start - off, span.end - off] : [0, 0];
    this.editor.mark(message && span && to > 0 && from < this.editor.text.length ? { from: Math.max(from, 0), to: Math.min(to, this.editor.text.length), message } : null);
  }

  #put(/** @type {string} */ text, /** @type {Language} */ language) {
    this.#speak(language);
    this.editor.text = text;
    this.editor.focus();
  }

  #speak(/** @type {Language} */ language) {
    this.language = language === "datalog" ? "datalog" : "streamsql";
    /** @type {HTMLInputElement} */ (document.querySelector(`[name=language][value=${this.language}]`)).checked = true;
    this.editor.speak(this.language);
    this.changed();
  }

  async #share() {
    const said = new URLSearchParams({ ask: this.editor.text });
    if (this.language === "datalog") said.set("in", "datalog");
    history.replaceState(null, "", `#${said}`);
    const isCopied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    setText(byId("turn"), isCopied ? "The link was copied." : "The address of this page is the link now.");
  }

  #fromAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const text = said.get("ask");
    if (text !== null && text !== this.editor.text) this.#put(text, said.get("in") === "datalog" ? "datalog" : "streamsql");
  }
}

/** @type {Console | null} */
let running = null;
const editor = await makeEditor(byId("editor"), { changed: () => running?.changed(), run: () => running?.watch(), once: () => running?.once() });
running = new Console(editor);
await running.start();
