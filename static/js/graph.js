/** A small directed graph as a picture: laid out by dagre, drawn as SVG, its texts as text. */

/** @typedef {{id: string, kind: string, lines: string[]}} GraphNode */
/** @typedef {{from: string, to: string, kind?: string}} GraphEdge */

const SVG = "http://www.w3.org/2000/svg";
const LINE = 18; // pixels of a line of text
const SIGN = 7.6; // of a sign, nearly
const LONGEST = 60; // signs in a line

/**
 * @param {GraphNode[]} nodes @param {GraphEdge[]} edges @param {string} label what is seen, for whoever cannot see it
 * @returns {SVGElement}
 */
export function drawn(nodes, edges, label) {
  const graph = new dagre.graphlib.Graph().setGraph({ rankdir: "LR", align: "UL", nodesep: 10, ranksep: 42, marginx: 8, marginy: 8 }).setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) {
    const width = Math.max(...node.lines.map((line) => Math.min(line.length, LONGEST))) * SIGN + 22;
    graph.setNode(node.id, { width: Math.max(width, 34), height: node.lines.length * LINE + 12 });
  }
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const picture = shape("svg", { viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, width: Math.ceil(width), height: Math.ceil(height), role: "img", "aria-label": label, class: "graph" });
  picture.append(...edges.map((edge) => line(graph.edge(edge.from, edge.to).points, edge.kind ?? "")), ...nodes.map((node) => box(node, graph.node(node.id))));
  return /** @type {SVGElement} */ (picture);
}

/** @param {{x: number, y: number}[]} points @param {string} kind */
function line(points, kind) {
  const path = points.map(({ x, y }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return shape("path", { d: path, class: `graph-edge ${kind}` });
}

/** @param {GraphNode} node @param {{x: number, y: number, width: number, height: number}} place */
function box({ kind, lines }, { x, y, width, height }) {
  const group = shape("g", { class: `graph-node ${kind}`, transform: `translate(${(x - width / 2).toFixed(1)} ${(y - height / 2).toFixed(1)})` });
  const title = shape("title", {});
  title.textContent = lines.join("\n");
  group.append(title, shape("rect", { width, height, rx: 8 }));
  lines.forEach((text, at) => {
    const said = shape("text", { x: 11, y: at * LINE + 19, class: at ? "" : "graph-name" });
    said.textContent = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
    group.append(said);
  });
  return group;
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
