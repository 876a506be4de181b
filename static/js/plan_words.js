/** What a node of a plan does, in plain words, and its numbers as people read them. */

/** @typedef {{value: number, expected: number, least: number, most: number | null, source: string}} NodeRows */
/** @typedef {{id: string, kind: string, what: string, site: string, inputs: string[], fragment: string | null, method: string | null, rows: NodeRows | null, cost: number | null, observed: any, off: number | null}} PlanNode */
/** @typedef {{from: string, to: string, crosses: boolean, ships: string[] | null}} PlanEdge */
/** @typedef {import("./plan_rates.js").Rate} Rate */

const FAR = 3; // times as many rows as expected, or as few, that are marked

/** @type {Record<string, string>} */
const DOES = {
  Read: "Reads what arrives",
  Table: "Keeps a table by its key",
  Windowed: "Keeps a window of a stream",
  Shipped: "Takes what another site answers",
  Totalled: "Keeps totals of panes",
  Filter: "Lets through what fits",
  Map: "Computes columns",
  HashJoin: "Pairs rows that match",
  HashAntiJoin: "Keeps rows that match none",
  HashOuterJoin: "Pairs rows, keeps those alone",
  GroupBy: "Totals by group",
  Unique: "Drops repeated rows",
  Merge: "Puts inputs together",
  FirstRows: "Keeps the first rows",
  Closure: "Follows links until none is new",
  BestPaths: "Finds the best ways",
  NearestPaths: "Finds ways to the nearest",
  Recursive: "Repeats until nothing is new",
  Pick: "Takes one of the results",
  Partitioned: "Gathers what shares make",
  Constant: "Has fixed rows",
};

/** @param {PlanNode} node */
export const does = (node) => DOES[node.kind] ?? node.kind;

const compact = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

/** @param {number | null | undefined} value */
export function count(value) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 0.05) return String(Number(value.toPrecision(1)));
  return compact.format(value >= 10 && value < 1000 ? Math.round(value) : value);
}

/** @param {number | null | undefined} rows a second */
export function perSecond(rows) {
  if (rows === null || rows === undefined) return "";
  if (rows === 0) return "0 rows/s";
  return rows < 0.1 ? `${count(rows * 60)} rows/min` : `${count(rows)} rows/s`;
}

/** @param {number} value seconds */
export const milliseconds = (value) => `${value >= 0.01 ? (value * 1000).toFixed(0) : value * 1000 < 0.005 ? "0" : (value * 1000).toFixed(2)} ms`;

/** @param {PlanNode} node */
export const isOff = ({ off }) => off !== null && (off > FAR || off < 1 / FAR);

/** @param {number} off how many times as many rows there are as expected */
export const offWords = (off) => (off >= 1 ? `${count(off)} times as many` : off === 0 ? "none there" : `${count(1 / off)} times fewer`);

/** The rows of a node beside those expected. @param {PlanNode} node */
export function rowsLine(node) {
  const { rows, observed } = node;
  const there = observed?.rows;
  if (there === null || there === undefined) return rows ? `${count(rows.value)} rows expected` : "";
  const expected = rows ? `, ${count(rows.expected)} expected` : "";
  return `${isOff(node) ? "⚠ " : ""}${count(there)} rows${expected}`;
}

/** @param {Rate | null} rate */
export function workLine(rate) {
  if (!rate) return "";
  const told = [perSecond(rate.rows)];
  if (rate.seconds !== null) told.push(`${milliseconds(rate.seconds)} a tick`, `${(rate.share * 100).toFixed(0)} %`);
  return told.filter(Boolean).join(" · ");
}

/** @param {PlanNode} node */
export function keepsLine({ observed }) {
  const told = [];
  if (observed?.keeps) told.push(`keeps ${count(observed.keeps)}`);
  if (observed?.late) told.push(`${count(observed.late)} came too late`);
  if (observed?.waiting) told.push(`${count(observed.waiting)} wait`);
  return told.join(" · ");
}

/** A text in at most two lines that fit a box. @param {string} text @param {number} wide signs in a line */
export function wrapped(text, wide) {
  if (text.length <= wide) return [text];
  const at = text.lastIndexOf(" ", wide);
  const first = at > wide / 3 ? text.slice(0, at) : text.slice(0, wide);
  const rest = text.slice(first.length).trim();
  return [first, rest.length > wide ? `${rest.slice(0, wide - 1)}…` : rest];
}

/** What a partitioned view's shares hold and send. @param {PlanNode} node */
export function sharesLine(node) {
  const shares = node.observed?.shares;
  if (!shares) return "";
  const sent = Object.entries(shares.sent).map(([kind, { rows, bytes }]) => `${kind} ${count(rows)} rows, ${count(bytes / 1000)} kB`);
  const kept = `${shares.kept.length} shares keep ${shares.kept.map(count).join(", ")} rows`;
  return [kept, `${count(shares.last_rounds)} rounds in the last tick`, ...(sent.length ? [`sent: ${sent.join("; ")}`] : [])].join("; ");
}
