/** Both languages as the editor colours and completes them: StreamSQL, and Datalog in Soufflé's syntax. */

/** @typedef {{name: string, kind: string, columns: {name: string, type: string}[], source?: string, rows?: number, window?: string | null}} Relation */
/** @typedef {{relations: Relation[], functions: {name: string, takes: string}[]}} Schema */

const KEYWORDS =
  "select distinct from where group by having order asc desc nulls first last limit offset as on using join inner left right full outer cross lateral with recursive union all except intersect " +
  "and or not in is null like ilike between case when then else end cast exists any interval " +
  "create replace view stream table if drop insert into values delete show views streams tables functions columns describe explain analyze why format " +
  "range rows slide now unbounded partition seconds second minutes minute hours hour days day " +
  "output to display alarm mqtt every sample period lifetime limited state time rounds optimize for datalog";
/** @type {Record<string, string>} */
const SYMBOLS = { BIGINT: "number", TIMESTAMP: "number", BOOLEAN: "number", DOUBLE: "float" };
const TYPES = "bigint double boolean timestamp"; // not those that are as good as names of columns: text, point, region

/** @param {any} parts of CodeMirror @param {Schema} schema @returns {any} an extension */
export function streamSql(parts, schema) {
  const dialect = parts.SQLDialect.define({
    keywords: KEYWORDS,
    types: TYPES,
    builtin: "",
    operatorChars: "*+-%<>!=&|~^/:",
    doubleDollarQuotedStrings: true,
    identifierQuotes: '"',
  });
  const namespace = Object.fromEntries(schema.relations.map((relation) => [relation.name, { self: told(relation), children: relation.columns.map(column) }]));
  const functions = schema.functions.map(({ name, takes }) => ({ label: name, type: "function", detail: takes, apply: `${name}(` }));
  return [
    parts.sql({ dialect, schema: namespace, upperCaseKeywords: true }),
    dialect.language.data.of({ autocomplete: (/** @type {any} */ context) => words(context, functions) }),
  ];
}

/** @param {any} parts of CodeMirror @param {Schema} schema @returns {any} an extension */
export function datalog(parts, schema) {
  const language = parts.StreamLanguage.define({ name: "datalog", token: datalogToken, languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } } });
  const known = [
    ...[".decl", ".input", ".output", ".type", ".functor"].map((label) => ({ label, type: "keyword" })),
    ...schema.relations.map((relation) => ({ ...told(relation), apply: `${relation.name}(` })),
    ...schema.relations.map(declared),
  ];
  return [language, language.data.of({ autocomplete: (/** @type {any} */ context) => words(context, known) })];
}

/** @param {Relation} relation */
function told({ name, kind, columns, rows }) {
  const detail = rows === undefined ? kind : `view, ${rows} rows`;
  return { label: name, type: kind === "view" ? "interface" : "class", detail, info: columns.map((each) => `${each.name} ${each.type.toLowerCase()}`).join("\n") };
}

/** What brings a relation into a program. @param {Relation} relation */
function declared({ name, kind, columns }) {
  const typed = columns.map((each) => `${each.name}: ${SYMBOLS[each.type.toUpperCase()] ?? "symbol"}`).join(", ");
  return { label: `.input ${name}`, type: "keyword", detail: kind, apply: `.decl ${name}(${typed})\n.input ${name}\n` };
}

/** @param {{name: string, type: string}} column */
const column = ({ name, type }) => ({ label: name, type: "property", detail: type.toLowerCase() });

/** @param {any} context @param {any[]} options */
function words(context, options) {
  const word = context.matchBefore(/[.\w]+/);
  const isPart = word?.text.slice(1).includes("."); // a column's, which the schema knows
  return !word || isPart ? null : { from: word.from, options, validFor: /^[.\w]*$/ };
}

/** @param {any} stream @returns {string | null} */
function datalogToken(stream) {
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/\/\*.*?\*\//)) return "comment";
  if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return "string";
  if (stream.match(/\.(?:decl|input|output|type|functor|plan|printsize|limitsize|pragma)\b/)) return "keyword";
  if (stream.match(/(?:count|sum|min|max|mean)\b(?=\s)/) || stream.match(/(?:symbol|number|float|unsigned)\b/)) return "typeName";
  if (stream.match(/-?\d+(?:\.\d+)?/)) return "number";
  if (stream.match(/:-|\?-|!=|<=|>=|[=<>!]/)) return "operator";
  if (stream.match(/[A-Za-z_?]\w*(?=\s*\()/)) return "variableName.function";
  if (stream.match(/[A-Za-z_?]\w*/)) return "variableName";
  stream.next();
  return null;
}
