"""Variable orders are traversals of the graph, and the figures of the paper come out of them."""

from itertools import pairwise
from random import Random

import pytest

from engine.provenance.absorption import RECORD, Absorption
from engine.provenance.ordering import Edge, breadth_first, depth_first, frontier, suited

FIGURE_7 = [Edge(token, *ends) for token, ends in enumerate(["AB", "BF", "BC", "CF", "AD", "DF", "AE", "ED"])]


def random_edges(random: Random) -> list[Edge]:
    pairs = [(random.randrange(7), random.randrange(7)) for _ in range(random.randrange(20))]
    return [Edge(token, *pair) for token, pair in enumerate(pairs)]


def test_the_papers_network_is_met_depth_first_and_breadth_first_as_printed() -> None:
    assert depth_first(FIGURE_7) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert breadth_first(FIGURE_7) == [0, 4, 6, 1, 2, 5, 7, 3]
    assert suited(FIGURE_7) == depth_first(FIGURE_7)


@pytest.mark.bdd
def test_figure_8_has_nine_nodes_depth_first_and_eighteen_breadth_first() -> None:
    algebra = Absorption()
    p = [algebra.token(token) for token in range(8)]
    either = p[0] & (p[1] | p[2] & p[3]) | (p[4] | p[6] & p[7]) & p[5]
    algebra.order(breadth_first(FIGURE_7))
    assert algebra.size(either) == 18 * RECORD
    algebra.order(depth_first(FIGURE_7))
    assert algebra.size(either) == 9 * RECORD
    algebra.sift()
    assert algebra.size(either) <= 9 * RECORD


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("order", [depth_first, breadth_first, frontier])
def test_every_edge_has_one_place(order, seed: int) -> None:
    edges = random_edges(Random(seed))
    assert sorted(order(edges)) == [edge.token for edge in edges]


@pytest.mark.parametrize("seed", range(40))
def test_depth_first_goes_on_from_the_edge_before_where_that_discovered_something(seed: int) -> None:
    edges = {edge.token: edge for edge in random_edges(Random(seed))}
    order = [edges[token] for token in depth_first(list(edges.values()))]
    seen: set[object] = set()
    for edge, following in pairwise(order):
        seen.add(edge.source)
        goes_on = any(other.source == edge.target for other in edges.values())
        if edge.target not in seen and goes_on:
            assert following.source == edge.target
        seen.add(edge.target)


@pytest.mark.parametrize("seed", range(40))
def test_breadth_first_keeps_the_edges_of_a_vertex_together(seed: int) -> None:
    edges = {edge.token: edge for edge in random_edges(Random(seed))}
    sources = [edges[token].source for token in breadth_first(list(edges.values()))]
    changes = sum(a != b for a, b in pairwise(sources))
    assert changes == max(0, len(set(sources)) - 1)


def test_links_that_lead_both_ways_are_ordered_by_their_frontier() -> None:
    both = [*FIGURE_7, *(Edge(10 + edge.token, edge.target, edge.source) for edge in FIGURE_7)]
    assert suited(both) == frontier(both)


def test_the_frontier_takes_an_edge_with_the_later_one_of_its_ends() -> None:
    star = [Edge(token, *ends) for token, ends in enumerate(["AB", "AC", "AD", "CB", "DB", "DC", "BA"])]
    assert breadth_first(star) == [0, 1, 2, 6, 3, 4, 5]
    assert frontier(star) == [0, 6, 1, 3, 2, 4, 5]


@pytest.mark.bdd
@pytest.mark.parametrize("seed", range(10))
def test_another_order_changes_no_function(seed: int) -> None:
    random, algebra, other = Random(seed), Absorption(), Absorption()
    edges = random_edges(random)
    held = [
        algebra.token(a.token) & algebra.token(b.token) | algebra.token(c.token) for a, b, c in triples(edges)
    ]
    before = [other.from_plain(algebra.to_plain(node)) for node in held]
    algebra.order(breadth_first(edges))
    assert [other.from_plain(algebra.to_plain(node)) for node in held] == before


def triples(edges: list[Edge]) -> list[tuple[Edge, Edge, Edge]]:
    return list(zip(edges, edges[1:], edges[2:], strict=False))
