"""The papers' queries: by hand on tiny inputs, and current under random changes."""

from random import Random
from time import monotonic

import pytest

from engine.model.errors import QueryError
from engine.model.values import Row
from engine.plan.expressions import Literal
from engine.plan.logical import Plan
from engine.queries import paths, points_to, reachability, regions, trees
from engine.queries.clauses import atom, clause, taken, term
from engine.queries.resilience import resilience
from engine.views.why.effort import Effort
from tests.memory_log import Change, Entry, MemoryLog
from tests.oracle import evaluate
from tests.paper_queries import (
    BIGINT,
    LINK,
    PARENT,
    PLACED,
    QUERIES,
    active,
    assign,
    closed,
    family,
    fringed,
    link,
    live,
    load,
    near,
    new,
    store,
)
from tests.watched_plan import WatchedPlan


def links(*pairs: str, cost: int = 1) -> list[Row]:
    """Rows of links from texts of two letters; of three, the third is the cost and ten minus it the width."""
    return [(p[0], p[1], int(p[2:] or cost), 10.0 - int(p[2:] or cost)) for p in pairs]


def rows(plan: Plan, **standing: list[Row]) -> set[Row]:
    log = MemoryLog([Entry(1, [Change(name, 1, row) for row in held]) for name, held in standing.items()])
    found = evaluate(plan, log.readings, 1)
    assert set(found.values()) <= {1}
    return set(found)


GOLDEN = links("AB", "BC", "CA", "CB")
DIAMOND = links("ab1", "bd1", "ac1", "cd1", "ad3", "da9")


def test_everybody_reaches_everybody_in_the_papers_figure():
    assert rows(reachability.reachable(link), link=GOLDEN) == {(a, b) for a in "ABC" for b in "ABC"}
    assert rows(reachability.reachable(link), link=GOLDEN[:2]) == {("A", "B"), ("B", "C"), ("A", "C")}


def test_a_closure_by_doubling_is_the_same():
    assert rows(reachability.nonlinear_closure(link), link=GOLDEN) == {(a, b) for a in "ABC" for b in "ABC"}


def test_paths_have_an_even_or_an_odd_number_of_links():
    chain = links("ab", "bc", "cd")
    assert rows(reachability.even_and_odd(link), link=chain) == {("a", "c"), ("b", "d")}
    assert rows(reachability.even_and_odd(link, even=False), link=chain) == {
        ("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"),
    }  # fmt: skip


def test_cycles_are_who_reaches_itself():
    assert rows(reachability.cycles(link), link=links("ab", "ba", "bc")) == {("a",), ("b",)}


def test_who_does_not_reach_whom():
    assert rows(reachability.unreachable(link), link=links("ab")) == {("a", "a"), ("b", "a"), ("b", "b")}


def test_how_many_each_reaches():
    assert rows(reachability.reach_sizes(link), link=links("ab", "bc", "cb")) == {
        ("a", 2),
        ("b", 2),
        ("c", 2),
    }


def test_a_closed_node_stops_who_goes_through_it():
    open_links = reachability.open_links(link, closed)
    found = rows(reachability.reachable(open_links), link=links("ab", "bc", "ad", "dc"), closed=[("b",)])
    assert found == {("a", "d"), ("d", "c"), ("a", "c")}


def test_the_fewest_hops_and_the_least_cost():
    assert rows(paths.min_hops(link), link=DIAMOND) >= {("a", "d", 1), ("a", "a", 2), ("d", "b", 2)}
    assert rows(paths.cheapest(link), link=DIAMOND) >= {("a", "d", 2), ("a", "a", 11), ("d", "b", 10)}


def test_the_widest_path_is_as_wide_as_its_narrowest_link():
    assert rows(paths.widest(link, width="width"), link=DIAMOND) >= {("a", "d", 9.0), ("d", "d", 1.0)}


def test_all_shortest_paths_are_there_ties_and_cycles_too():
    found = rows(paths.shortest_paths(link), link=links("ab", "bd", "ac", "cd", "da"))
    assert {row[2] for row in found if row[:2] == ("a", "d")} == {"a>b>d", "a>c>d"}
    assert {row[2] for row in found if row[:2] == ("a", "a")} == {"a>b>d>a", "a>c>d>a"}
    assert {row[3] for row in found if row[:2] == ("b", "c")} == {3}


def test_all_cheapest_paths_are_there():
    found = rows(paths.cheapest_paths(link), link=DIAMOND)
    assert {row[2:] for row in found if row[:2] == ("a", "d")} == {("a>b>d", 2), ("a>c>d", 2)}


def test_a_horizon_ends_at_its_radius():
    chain = links("ab", "bc", "cd", "de")
    assert rows(paths.horizon(link, 2), link=chain) == {
        ("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "e", 1),
        ("a", "c", 2), ("b", "d", 2), ("c", "e", 2),
    }  # fmt: skip
    assert rows(paths.horizon(link, 0), link=chain) == set()


@pytest.mark.parametrize(
    ("pair", "expected"), [(("a", "d"), (4, True, 2)), (("a", "e"), (4, True, 1)), (("b", "d"), (2, True, 2))]
)
def test_resilience_is_the_number_of_simple_paths_and_of_the_links_to_cut(pair, expected):
    watched = WatchedPlan(reachability.reachable(link), [LINK], ["planned"])
    watched.tick(*[Change("link", 1, row) for row in links("ab", "bd", "ac", "cd", "bc", "cb", "de")])
    effort = Effort(10, 100_000, monotonic)
    why = watched.watches[0].session.why("watched", pair, effort)
    assert resilience(why.provenance, effort) == expected


FOUND = {"sensor": PLACED, "triggered": [(0,), (1,), (2,), (4,)], "seed": [("west", 1), ("east", 4)]}


def test_near_is_strictly_less_than_the_distance():
    assert rows(near, sensor=PLACED) == {(i, j) for i in range(5) for j in range(5) if abs(i - j) == 1}


def test_a_region_has_triggered_sensors_only_or_the_fringe_as_well():
    assert rows(active, **FOUND) == {("west", 0), ("west", 1), ("west", 2), ("east", 4)}
    assert rows(fringed, **FOUND) == rows(active, **FOUND) | {("west", 3), ("east", 3)}


def test_the_largest_regions_tie():
    assert rows(regions.region_sizes(active), **FOUND) == {("west", 3), ("east", 1)}
    assert rows(regions.largest_region(active), **FOUND) == {(3,)}
    tied = {**FOUND, "triggered": [(1,), (4,)]}
    assert rows(regions.largest_regions(active), **tied) == {("west", 1), ("east", 1)}
    assert rows(regions.largest_region(active)) == {(None,)}


TREE: list[Row] = [("b", "a"), ("c", "a"), ("d", "b"), ("e", "c"), ("f", "e")]


def test_a_generation_is_as_far_from_an_ancestor():
    found = rows(trees.same_generation(family), family=TREE)
    assert {y for x, y in found if x == "d"} == {"d", "e"}
    assert {y for x, y in found if x == "f"} == {"f"}


def test_a_subtree_is_as_high_as_its_deepest_node():
    assert rows(trees.subtree_height(family), family=TREE) == {
        ("a", 3), ("b", 1), ("c", 2), ("d", 0), ("e", 1), ("f", 0),
    }  # fmt: skip


def test_imbalance_is_between_the_deepest_and_the_least_deep_leaf():
    assert rows(trees.imbalance(family), family=TREE) == {
        ("a", 1), ("b", 0), ("c", 0), ("d", 0), ("e", 0), ("f", 0),
    }  # fmt: skip


STATEMENTS: dict[str, list[Row]] = {
    "new": [("p", "box"), ("x", "apple")],
    "assign": [("q", "p")],
    "store": [("q", "x")],
    "load": [("y", "p")],
}


def test_what_is_stored_through_one_name_is_loaded_through_another():
    pointed = points_to.points_to(new, assign, load, store)
    assert rows(pointed, **STATEMENTS) == {("p", "box"), ("q", "box"), ("x", "apple"), ("y", "apple")}
    assert rows(points_to.points_to(new, assign, load, store, heap=True), **STATEMENTS) == {("box", "apple")}


def test_an_unknown_column_is_named_with_those_there_are():
    with pytest.raises(QueryError, match="unknown column to; there are src, dst, cost, width"):
        reachability.reachable(link, "src", "to")


def test_a_term_that_does_not_fit_says_what_was_found():
    with pytest.raises(QueryError, match=r"\+ takes two numbers, .*found text, bigint"):
        clause({"x": term("+", "a", Literal(1, BIGINT))}, atom(taken(link, "src"), "a"))


# Current, whatever changes


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_as_recomputed_after_every_change(query):
    plan, relations = QUERIES[query]
    watched = WatchedPlan(plan, relations)
    sizes = live(query, watched)
    watched.check_witnesses()
    assert any(sizes)


@pytest.mark.parametrize("query", ["subtree height", "imbalance"])
def test_a_tree_is_measured_as_it_is_moved(query):
    plan = {"subtree height": trees.subtree_height, "imbalance": trees.imbalance}[query](family)
    random, watched = Random(query), WatchedPlan(plan, (PARENT,))
    parent: dict[int, int] = {}
    for _ in range(40):
        child = random.randrange(1, 9)
        changes = [Change("family", -1, (str(child), str(parent[child])))] if child in parent else []
        parent[child] = random.randrange(child)
        watched.tick(*changes, Change("family", 1, (str(child), str(parent[child]))))
