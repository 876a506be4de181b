"""The papers' named queries by brute force over a graph, a family or sensors: what each answers."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import Any

import networkx as nx

from engine.model.values import Row


def walks(links: Iterable[Row]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_edges_from((a, b) for a, b, *_ in links)
    return graph


def distances(links: list[Row], cost: int | None = None) -> dict[tuple[str, str], float]:
    """From a node to another, or round to itself, over one link at least."""
    graph = weighted(links, cost)
    far = dict(nx.all_pairs_dijkstra_path_length(graph))
    found: dict[tuple[str, str], float] = {}
    for (a, b, w), t in product(graph.edges(data="weight"), graph):
        if t in far[b]:
            found[a, t] = min(found.get((a, t), w + far[b][t]), w + far[b][t])
    return found


def weighted(links: list[Row], cost: int | None) -> nx.DiGraph:
    graph = nx.DiGraph()
    for row in links:
        w: Any = 1 if cost is None else row[cost]
        if not graph.has_edge(row[0], row[1]) or graph[row[0]][row[1]]["weight"] > w:
            graph.add_edge(row[0], row[1], weight=w)
    return graph


def best_routes(links: list[Row], cost: int | None) -> set[Row]:
    graph, best, found = weighted(links, cost), distances(links, cost), set()
    for (a, t), least in best.items():
        for b in graph[a]:
            rest = least - graph[a][b]["weight"]
            if b == t and rest == 0:
                found.add((a, t, (a, t), least))
            elif b != t and best.get((b, t)) == rest:
                ways = nx.all_shortest_paths(graph, b, t, weight="weight")
                found |= {(a, t, (a, *way), least) for way in ways}
    return found


def lengths(links: list[Row], cost: int | None = None, most: float = 10**9) -> set[Row]:
    return {(*pair, length) for pair, length in distances(links, cost).items() if length <= most}


def pairs(links: list[Row]) -> set[Row]:
    return set(distances(links))


def bandwidths(links: list[Row]) -> set[Row]:
    found: dict[tuple[str, str], float] = {}
    for width in sorted({row[3] for row in links}):
        for pair in distances([row for row in links if row[3] >= width]):
            found[pair] = width
    return {(*pair, width) for pair, width in found.items()}


def simple_paths(links: list[Row]) -> set[Row]:
    graph = walks(links)
    counts = {(s, t): len(list(nx.all_simple_paths(graph, s, t))) for s, t in product(graph, graph) if s != t}
    return {(*pair, count) for pair, count in counts.items() if count}


def generations(family: list[Row]) -> set[Row]:
    pairs = nx.DiGraph()
    pairs.add_edges_from(((p, q), (x, y)) for (x, p), (y, q) in product(family, family))
    return {
        pair for p in {p for _, p in family} for pair in nx.descendants(pairs, (p, p)) | again(pairs, (p, p))
    }


def again(graph: nx.DiGraph, node: Any) -> set[Any]:
    """The node itself, where a walk comes back to it."""
    return {node} if any(nx.has_path(graph, each, node) for each in graph.successors(node)) else set()


def depths(family: list[Row]) -> dict[str, dict[str, int]]:
    down = nx.DiGraph([(parent, child) for child, parent in family])
    return dict(nx.all_pairs_shortest_path_length(down))


def heights(family: list[Row]) -> set[Row]:
    return {(top, max(below.values())) for top, below in depths(family).items()}


def imbalances(family: list[Row]) -> set[Row]:
    parents = {parent for _, parent in family}
    leaves = {
        top: [n for node, n in below.items() if node not in parents] for top, below in depths(family).items()
    }
    return {(top, max(found) - min(found)) for top, found in leaves.items()}


def active(standing: dict[str, list[Row]]) -> set[Row]:
    triggered = {s for (s,) in standing["triggered"]}
    graph = nx.Graph()
    graph.add_nodes_from(triggered)
    for (a, x, y), (b, u, v) in product(standing["sensor"], standing["sensor"]):
        if {a, b} <= triggered and (x - u) ** 2 + (y - v) ** 2 < 4:
            graph.add_edge(a, b)
    return {
        (region, sensor)
        for region, seed in standing["seed"]
        if seed in triggered
        for sensor in nx.node_connected_component(graph, seed)
    }


def sizes(standing: dict[str, list[Row]]) -> set[Row]:
    return set(Counter(region for region, _ in active(standing)).items())


def largest(standing: dict[str, list[Row]]) -> set[Row]:
    return {(region, size) for region, size in sizes(standing) if size == max(n for _, n in sizes(standing))}


# What each view is held against


def near_cycles(links: list[Row]) -> set[Row]:
    return {(a, n) for a, b, n in lengths(links, most=4) if a == b}
