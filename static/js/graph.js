/** A small directed graph as a picture: laid out by dagre, drawn as SVG, its texts as text, which may change in place. */

/** @typedef {{id: string, kind: string, lines: string[], width?: number, within?: string, press?: () => void}} GraphNode `within` names a group that it stands in; what is pressed is a button */
/** @typedef {{from: string, to: string, kind?: string, label?: string, width?: number}} GraphEdge */
/** @typedef {{id: string, title: string, kind: string}} GraphGroup */
/** @typedef {{direction?: "LR" | "BT", role?: string, groups?: GraphGroup[]}} GraphStyle */

const SVG = "http://www.w3.org/2000/svg";
const LINE = 18; // pixels of a line of text
const SIGN = 7.6; // of a sign, nearly
const LONGEST = 60; // signs in a line
const LABEL = 110; // pixels that are kept free for a label

/**
 * @param {GraphNode[]} nodes @param {GraphEdge[]} edges @param {string} label what is seen, for whoever cannot see it
 * @returns {SVGElement}
 */
export const drawn = (nodes, edges, label) => new Picture(nodes, edges, label).svg;

export class Picture {
  /** @param {GraphNode[]} nodes @param {GraphEdge[]} edges @param {string} label @param {GraphStyle} [style] */
  constructor(nodes, edges, label, { direction = "LR", role = nodes.some(({ press }) => press) ? "group" : "img", groups = [] } = {}) {
    const graph = laidOut(nodes, edges, direction, groups);
    const { width, height } = graph.graph();
    this.width = Math.ceil(width);
    this.height = Math.ceil(height);
    /** @type {Map<string, SVGElement>} */
    this.boxes = new Map(nodes.map((node) => [node.id, box(node, graph.node(node.id))]));
    /** @type {Map<string, {path: SVGElement, label: SVGElement | null}>} */
    this.lines = new Map(edges.map((edge) => [between(edge.from, edge.to), line(edge, graph.edge(edge.from, edge.to))]));
    this.svg = shape("svg", { viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height, role, "aria-label": label, class: "graph" });
    this.svg.append(...groups.map((group) => frame(group, graph.node(group.id))), ...[...this.lines.values()].flatMap(({ path, label: said }) => (said ? [path, said] : [path])), ...this.boxes.values());
  }

  /** Say something else in a box, as many lines as it has. @param {string} id @param {string[]} lines @param {string} kind */
  say(id, lines, kind) {
    const group = this.boxes.get(id);
    if (!group) return;
    setAttribute(group, "class", `graph-node ${kind}`);
    const said = group.querySelectorAll("text");
    lines.forEach((text, at) => said[at] && write(said[at], short(text)));
    write(/** @type {Element} */ (group.querySelector("title")), lines.join("\n"));
  }

  /** @param {GraphEdge} edge that is there, with what it says and how wide it is by now */
  weigh({ from, to, label = "", width = 1.5 }) {
    const held = this.lines.get(between(from, to));
    if (!held) return;
    setAttribute(held.path, "stroke-width", width.toFixed(1));
    if (held.label) write(held.label, label);
  }
}

/** @param {string} from @param {string} to */
const between = (from, to) => `${from} ${to}`;

/** @param {GraphNode[]} nodes @param {GraphEdge[]} edges @param {string} direction @param {GraphGroup[]} groups */
function laidOut(nodes, edges, direction, groups) {
  const graph = new dagre.graphlib.Graph({ compound: groups.length > 0 }).setGraph({ rankdir: direction, ...(direction === "LR" ? { align: "UL" } : {}), nodesep: direction === "LR" ? 10 : 24, ranksep: 42, marginx: 8, marginy: 8 }).setDefaultEdgeLabel(() => ({}));
  for (const group of groups) graph.setNode(group.id, {});
  for (const node of nodes) {
    const width = node.width ?? Math.max(...node.lines.map((text) => Math.min(text.length, LONGEST))) * SIGN + 22;
    graph.setNode(node.id, { width: Math.max(width, 34), height: node.lines.length * LINE + 12 });
    if (node.within) graph.setParent(node.id, node.within);
  }
  for (const { from, to, label } of edges) graph.setEdge(from, to, label === undefined ? {} : { width: LABEL, height: LINE, labelpos: "r", labeloffset: 6 });
  dagre.layout(graph);
  return graph;
}

/** @param {GraphEdge} edge @param {{points: {x: number, y: number}[], x?: number, y?: number}} place */
function line({ kind = "", label, width }, { points, x = 0, y = 0 }) {
  const way = points.map((point, at) => `${at ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("");
  const path = shape("path", { d: way, class: `graph-edge ${kind}`, ...(width === undefined ? {} : { "stroke-width": width.toFixed(1) }) });
  if (label === undefined) return { path, label: null };
  const said = shape("text", { x: (x - LABEL / 2 + 4).toFixed(1), y: (y + 4).toFixed(1), class: `graph-label ${kind}` });
  said.textContent = label;
  return { path, label: said };
}

/** @param {GraphNode} node @param {{x: number, y: number, width: number, height: number}} place */
function box({ kind, lines, id, press }, { x, y, width, height }) {
  const group = shape("g", { class: `graph-node ${kind}`, "data-box": id, transform: `translate(${(x - width / 2).toFixed(1)} ${(y - height / 2).toFixed(1)})` });
  if (press) makeButton(group, lines.join(", "), press);
  const title = shape("title", {});
  title.textContent = lines.join("\n");
  group.append(title, shape("rect", { width, height, rx: 8 }));
  lines.forEach((text, at) => {
    const said = shape("text", { x: 11, y: at * LINE + 19, class: at ? "" : "graph-name" });
    said.textContent = short(text);
    group.append(said);
  });
  return group;
}

/** @param {GraphGroup} group @param {{x: number, y: number, width: number, height: number}} place */
function frame({ title, kind }, { x, y, width, height }) {
  const group = shape("g", { class: `graph-group ${kind}`, transform: `translate(${(x - width / 2).toFixed(1)} ${(y - height / 2).toFixed(1)})` });
  const said = shape("text", { x: 8, y: 15 });
  said.textContent = title;
  group.append(shape("rect", { width, height, rx: 10 }), said);
  return group;
}

/** @param {string} text */
const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** @param {Element} where @param {string} text */
function write(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

/** @param {Element} where @param {string} name @param {string} value */
function setAttribute(where, name, value) {
  if (where.getAttribute(name) !== value) where.setAttribute(name, value);
}

/** @param {Element} group @param {string} label @param {() => void} press */
function makeButton(group, label, press) {
  for (const [name, value] of Object.entries({ role: "button", tabindex: "0", "aria-label": label })) group.setAttribute(name, value);
  group.addEventListener("click", press);
  group.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    if (key !== "Enter" && key !== " ") return;
    event.preventDefault();
    press();
  });
}

/** @param {string} name @param {Record<string, string | number>} attributes */
export function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
