/** Rows as files: CSV that a spreadsheet takes for text where it is text, and JSON. */

const FORMULA = /^[=+\-@\t\r]/;

/** @param {{name: string, type: string}[]} columns @param {any[][]} rows @returns {string} */
export function toCsv(columns, rows) {
  return [columns.map(({ name }) => name), ...rows].map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
}

/** @param {{name: string, type: string}[]} columns @param {any[][]} rows @returns {string} */
export function toJson(columns, rows) {
  return JSON.stringify(rows.map((cells) => Object.fromEntries(cells.map((value, at) => [columns[at].name, value]))), null, 1);
}

/** @param {string} name @param {string} text @param {string} type */
export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {any} value */
function field(value) {
  if (value === null) return "";
  const text = Array.isArray(value) ? JSON.stringify(value) : String(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
