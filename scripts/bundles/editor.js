/** What the console's editor takes of CodeMirror, which is many small packages: one file in `static/vendor/`. */

export { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, completionStatus, startCompletion } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { SQLDialect, sql } from "@codemirror/lang-sql";
export { HighlightStyle, LanguageSupport, StreamLanguage, bracketMatching, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { setDiagnostics } from "@codemirror/lint";
export { Compartment, EditorState, Prec } from "@codemirror/state";
export { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
export { tags } from "@lezer/highlight";
