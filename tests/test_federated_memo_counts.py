"""How many nodes there are, and how many a change computes: their closed forms.

The forms count both orders of a join's inputs; here each pair is there once, so and nodes are half.
"""

import pytest

from federated.memo.arrays import Arrays
from federated.memo.joining import join_graph
from federated.memo.memo import Memo
from tests.benchmarks._join_graphs import q5, q8_join

N = 6


def all_products(n: int, *, arrays: bool = False) -> Memo:
    graph = join_graph({f"t{i}": 10.0 + i for i in range(n)}, [], products=True)
    return Memo(graph, physical=False, arrays=arrays)


@pytest.mark.parametrize("n", range(2, 9))
def test_every_set_is_an_or_node_and_every_cut_an_and_node(n):
    space = all_products(n).space
    assert len(space.ors) == 2**n - 1
    assert 2 * sum(1 for step in space.ands if step.inputs) == 3**n + 1 - 2 ** (n + 1)


@pytest.mark.parametrize("k", range(1, N))
def test_a_changed_set_computes_the_joins_with_a_changed_input(k):
    memo = all_products(N)
    memo.change((1 << k) - 1, 3.0)
    ors, ands = memo.settle()
    assert ors == 2 ** (N - k)
    assert 2 * (ands - (k == 1)) == 2 * (3 ** (N - k) - 2 ** (N - k))


@pytest.mark.parametrize("k", range(1, N + 1))
def test_arrays_compute_all_joins_of_the_sets_above(k):
    ors, ands = Arrays(all_products(N).space).above((1 << k) - 1).touched
    assert ors == 2 ** (N - k)
    assert 2 * (ands - (k == 1)) == 2**k * 3 ** (N - k) - 2 ** (N - k + 1)


@pytest.mark.parametrize("k", range(2, N))
def test_a_changed_step_computes_at_most_itself_and_what_reads_its_set(k):
    memo = all_products(N)
    best = _step_of(memo, (1 << k) - 1)
    memo.change_step(best, 0.01)
    assert memo.settle().ands <= 1 + 3 ** (N - k) - 2 ** (N - k)


@pytest.mark.parametrize("k", range(3, N))
def test_a_step_that_loses_and_costs_more_computes_nothing_else(k):
    memo = all_products(N)
    node = memo.space.ors[memo.space.number((1 << k) - 1)]
    loses = max(node.ways, key=lambda step: memo.costs(node.id)[step - node.ways.start])
    memo.change_step(loses, 2.0)
    assert memo.settle() == (1, 1)


@pytest.mark.parametrize("graph", [q5(), q8_join()])
def test_a_pass_over_one_change_computes_less_than_all(graph):
    memo = Memo(graph)
    for mask in memo.space.masks:
        memo.change(mask, 1.5)
        touched = memo.settle()
        assert touched.ands < len(memo.space.ands)
        assert touched.ors < len(memo.space.ors)


def test_arrays_recost_all_for_a_new_set_and_then_follow_it():
    memo = all_products(8, arrays=True)
    everything = memo.statistics().considered
    passes = []
    for _ in range(2):
        memo.change(0b1111, 1.5)
        passes.append(memo.settle())
    assert passes[0] == everything
    assert passes[1].ands < everything.ands / 4


def test_what_is_told_of_the_work_adds_up():
    memo = Memo(q5())
    for mask in (1, 3, 63):
        memo.change(mask, 2.0)
        memo.settle()
    work = memo.statistics()
    assert work.considered == (len(memo.space.ors), len(memo.space.ands))
    assert work.recomputed.ors <= work.altogether.ors
    assert work.passes == 3


@pytest.mark.parametrize("arrays", [False, True])
def test_no_change_computes_nothing(arrays):
    memo = all_products(4, arrays=arrays)
    memo.change(3, 1.0)
    memo.change_step(5, 1.0)
    assert memo.settle() == (0, 0)
    assert memo.statistics().passes == 0


def _step_of(memo: Memo, mask: int) -> int:
    node = memo.space.ors[memo.space.number(mask)]
    costs = memo.costs(node.id)
    return node.ways.start + costs.index(min(costs))
