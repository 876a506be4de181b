"""The memo: its plans are the least of all, and stay so while statistics change."""

from random import Random

import pytest

from engine.model.errors import InternalError, PlanError
from federated.memo.joining import Catalog, join_graph
from federated.memo.memo import Memo
from federated.memo.sets import members
from tests.benchmarks._join_graphs import chain, clique, q5, q8_join, q10, star
from tests.memo_fuzz import fuzz, trial
from tests.naive_memo import Naive
from tests.random_memo import changing, close


@pytest.mark.parametrize("seed", range(40))
def test_after_any_changes_every_cost_and_the_plan_equal_optimization_from_scratch(seed):
    assert trial(seed, 40) is None


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_hundred_thousand_changes_leave_no_cost_wrong():
    assert fuzz(100_000, 1_000).wrong == []


@pytest.mark.parametrize("seed", range(200, 215))
def test_the_best_cost_is_the_least_over_every_plan_found_naively(seed):
    random = Random(seed)
    case = changing(random, largest=5)
    for _ in range(3):
        case.scale(random.choice(case.memo.space.masks), 2.0)
    assert close(case.memo.cost(), case.naive().best(frozenset(range(len(case.graph.bases)))))


@pytest.mark.parametrize("shape", [chain, star, clique])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_no_join_tree_costs_less_than_the_logical_plan(shape, n):
    graph = shape(n)
    trees = list(Naive(graph, physical=False).every(frozenset(range(n))))
    assert close(Memo(graph, physical=False).cost(), min(trees))


@pytest.mark.parametrize("graph", [chain(2), chain(3), star(3), q10()])
def test_no_physical_plan_costs_less_than_the_memo_s(graph):
    plans = Naive(graph).every(frozenset(range(len(graph.bases))))
    assert close(Memo(graph).cost(), min(plans))


@pytest.mark.parametrize("seed", range(400, 440))
def test_the_graph_has_every_step_that_a_plan_may_take_and_no_other(seed):
    case = changing(Random(seed), largest=5)
    naive = Naive(case.graph, physical=case.physical).reached(frozenset(range(len(case.graph.bases))))
    assert {named(case.memo.space, step) for step in case.memo.space.ands} == {alike(step) for step in naive}
    assert len(case.memo.space.ands) == len(naive)


def named(space, step):
    """Name a step as the naive optimizer does; the sides of a hash or merge join in no order."""

    def key(node):
        at = space.ors[node]
        return frozenset(members(at.mask)), (at.property.kind.name.lower(), at.property.of)

    return alike((*key(step.of), step.operator.value, tuple(map(key, step.inputs))))


def alike(step):
    relations, has, operator, inputs = step
    return relations, has, operator, inputs if operator == "lookup" else frozenset(inputs)


def test_an_implied_equality_joins_like_a_written_one():
    graph = q5()
    customer, region, nation = (1 << graph.number(name) for name in ("customer", "region", "nation"))
    assert Memo(graph).space.number(customer | region | nation) is not None


def test_a_class_counts_once_for_each_member_beyond_the_first():
    rows = {"c": 100.0, "s": 50.0, "n": 25.0}
    pairs = [("c.n", "s.n"), ("s.n", "n.n"), ("c.n", "n.n")]
    memo = Memo(join_graph(rows, pairs, Catalog(dict.fromkeys(("c.n", "s.n", "n.n"), 25.0))))
    assert memo.rows(7) == 100.0 * 50.0 * 25.0 / 25.0 / 25.0


def test_an_observed_set_keeps_its_rows_when_a_smaller_one_changes():
    memo = Memo(q8_join())
    pair, larger = (m for m in memo.space.masks if m in (3, 7))
    memo.observe(larger, 77.0)
    memo.observe(pair, 5_000.0)
    assert memo.rows(pair) == pytest.approx(5_000.0)
    assert memo.rows(larger) == pytest.approx(77.0)


def test_a_released_set_follows_the_smaller_ones_again():
    memo = Memo(chain(3))
    memo.observe(0b011, 50.0)
    memo.change(0b001, 2.0)
    assert memo.rows(0b011) == pytest.approx(50.0)
    memo.release(0b011)
    memo.change(0b001, 2.0)
    assert memo.rows(0b011) == pytest.approx(100.0)


def test_what_did_not_change_computes_nothing():
    memo = Memo(clique(5), physical=False)
    memo.change(3, 1.0)
    assert memo.settle() == (0, 0)


def test_a_set_that_no_plan_computes_has_no_rows_to_observe():
    memo = Memo(chain(3))
    with pytest.raises(InternalError, match="rows of t0, t2: no plan computes this set by itself"):
        memo.observe(0b101, 10.0)


def test_more_ways_than_can_be_looked_at_are_refused():
    with pytest.raises(PlanError, match="a join of 9 relations has over 100,000 ways; join fewer at once"):
        Memo(clique(9))


def test_relations_that_nothing_connects_are_joined_last():
    graph = join_graph({"a": 10.0, "b": 20.0, "c": 5.0}, [("a.x", "b.x")])
    memo = Memo(graph)
    assert [memo.graph.names_of(plan.mask) for plan in memo.plan().inputs] == [("a", "b"), ("c",)]


def test_a_join_with_an_unknown_relation_names_those_there_are():
    with pytest.raises(
        PlanError, match=r"unknown relation ordres .* customer, orders; did you mean orders\?"
    ):
        join_graph({"customer": 1.0, "orders": 1.0}, [("ordres.custkey", "customer.custkey")])
