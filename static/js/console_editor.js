/** The text that is asked: CodeMirror where the set-up could bundle it, else a plain text area; alike to whoever uses them. */

import { element } from "./dom.js";
import { datalog, streamSql } from "./console_language.js";

/** @typedef {import("./console_language.js").Schema} Schema */
/** @typedef {"streamsql" | "datalog"} Language */
/** @typedef {{from: number, to: number, message: string}} Fault */
/** @typedef {{text: string, focus: () => void, speak: (language: Language) => void, mark: (fault: Fault | null) => void, knows: (schema: Schema) => void}} Editor */
/** @typedef {{changed: () => void, run: () => void, once: () => void}} Told */

/** @param {HTMLElement} where @param {Told} told @returns {Promise<Editor>} */
export async function makeEditor(where, told) {
  const { editor, nonce } = where.dataset;
  const parts = editor ? await import(editor).catch(() => null) : null;
  return parts ? new Mirror(where, parts, nonce ?? "", told) : new Plain(where, told);
}

class Mirror {
  /** @param {HTMLElement} where @param {any} parts of CodeMirror @param {string} nonce @param {Told} told */
  constructor(where, parts, nonce, told) {
    this.parts = parts;
    this.language = new parts.Compartment();
    /** @type {Language} */
    this.spoken = "streamsql";
    /** @type {Schema} */
    this.schema = { relations: [], functions: [] };
    const run = (/** @type {() => void} */ action) => () => {
      action();
      return true;
    };
    const keys = [
      { key: "Mod-Enter", run: run(told.run) },
      { key: "Shift-Mod-Enter", run: run(told.once) },
      ...parts.closeBracketsKeymap,
      ...parts.defaultKeymap,
      ...parts.historyKeymap,
      ...parts.completionKeymap,
    ];
    this.view = new parts.EditorView({
      parent: where,
      state: parts.EditorState.create({
        extensions: [
          parts.EditorView.cspNonce.of(nonce),
          parts.EditorView.contentAttributes.of({ "aria-label": "Query", spellcheck: "false", autocapitalize: "off" }),
          parts.EditorView.lineWrapping,
          parts.EditorView.updateListener.of((/** @type {any} */ update) => update.docChanged && told.changed()),
          parts.lineNumbers(),
          parts.history(),
          parts.drawSelection(),
          parts.bracketMatching(),
          parts.closeBrackets(),
          parts.highlightActiveLine(),
          parts.autocompletion({ icons: false }),
          parts.syntaxHighlighting(colours(parts)),
          parts.keymap.of(keys),
          this.language.of([]),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  focus() {
    this.view.focus();
  }

  /** @param {Language} language */
  speak(language) {
    this.spoken = language;
    const known = language === "datalog" ? datalog(this.parts, this.schema) : streamSql(this.parts, this.schema);
    this.view.dispatch({ effects: this.language.reconfigure(known) });
  }

  /** @param {Schema} schema */
  knows(schema) {
    this.schema = schema;
    this.speak(this.spoken);
  }

  /** @param {Fault | null} fault */
  mark(fault) {
    const end = this.view.state.doc.length;
    const marks = fault ? [{ from: Math.min(fault.from, Math.max(end - 1, 0)), to: Math.min(Math.max(fault.to, fault.from + 1), end), severity: "error", message: fault.message }] : [];
    this.view.dispatch(this.parts.setDiagnostics(this.view.state, marks));
  }
}

class Plain {
  /** @param {HTMLElement} where @param {Told} told */
  constructor(where, told) {
    this.area = /** @type {HTMLTextAreaElement} */ (element("textarea", { "aria-label": "Query", class: "plain-editor", spellcheck: "false", rows: "8" }));
    this.area.addEventListener("input", told.changed);
    this.area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      (event.shiftKey ? told.once : told.run)();
    });
    where.append(this.area);
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.dispatchEvent(new Event("input"));
  }

  focus() {
    this.area.focus();
  }

  speak() {} // it colours nothing

  knows() {} // it completes nothing

  /** @param {Fault | null} fault */
  mark(fault) {
    this.area.setAttribute("aria-invalid", String(fault !== null));
  }
}

/** Classes, so that our style sheets have the colours. @param {any} parts of CodeMirror */
function colours({ HighlightStyle, tags }) {
  return HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "say-keyword" },
    { tag: [tags.string, tags.special(tags.string)], class: "say-text" },
    { tag: [tags.number, tags.bool, tags.null], class: "say-number" },
    { tag: [tags.lineComment, tags.blockComment, tags.comment], class: "say-comment" },
    { tag: [tags.typeName, tags.standard(tags.name), tags.function(tags.variableName)], class: "say-function" },
    { tag: [tags.operator, tags.punctuation, tags.bracket], class: "say-sign" },
  ]);
}
