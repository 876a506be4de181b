"""What the prunings keep, and what goes wrong when they are done as printed."""

from itertools import product
from random import Random

import pytest

from federated.memo.joining import join_graph
from federated.memo.rules.agenda import Kind
from federated.memo.rules.declarative import Declarative
from federated.memo.rules.tables import Prunings
from federated.memo.searched import Searched, children
from federated.memo.system_r import SystemR
from federated.memo.volcano import Volcano
from federated.memo.ways import NONE
from tests.benchmarks._join_graphs import q5, q8_join, seg_toll_s
from tests.memo_searches import FACTORS, Steady, by_recursion, random_graph

NOTHING = Prunings(suppression=False, counting=False, bounding=False)
BOUNDED = [Prunings(*on, bounding=True) for on in product((False, True), repeat=2)]
GRAPHS = 60


class Whole(Searched):
    """A space whose local costs are whole numbers, drawn once and changed at will: sums of them are exact."""

    def __init__(self, random: Random, graph) -> None:
        super().__init__(graph)
        self._random = random
        self.drawn: dict = {}

    def local(self, key, way) -> float:
        if (key, way) not in self.drawn:
            self.drawn[key, way] = self._random.randrange(1, 10**9)
        return self.drawn[key, way]


def kept(one: Declarative) -> set:
    nodes = one.tables.entries.values()
    return {(node.key, a.way) for node in nodes for a in node.alternatives if a.kept}


def whole_spaces():
    for seed in range(GRAPHS):
        random = Random(seed)
        yield random, Whole(random, random_graph(random))


@pytest.mark.parametrize("prunings", [*BOUNDED, Prunings(bounding=False)])
def test_with_exact_costs_what_is_retained_is_the_best_plan_and_nothing_else(prunings):
    for random, space in whole_spaces():
        one = Declarative(space, prunings, rounding=0)
        root = space.roots[0]
        for _ in range(4):
            found = {}
            assert one.best(root) == by_recursion(space, root, found)
            assert kept(one) == set(one.plan(root).items())
            key, way = random.choice(list(space.drawn))
            factor = random.choice((0.5, 2.0))
            space.drawn[key, way] = int(space.drawn[key, way] * factor) + 1
            one.step_scaled(key, way, factor)
            one.settle()


def test_suppression_alone_keeps_the_best_alternative_of_every_entry_it_met():
    for _, space in whole_spaces():
        one = Declarative(space, Prunings(counting=False, bounding=False), rounding=0)
        for node in filter(lambda node: node.reached, one.tables.entries.values()):
            assert [a.place for a in node.alternatives if a.kept] == [node.costs.index(node.best)]
            assert node.best == by_recursion(space, node.key, {})


def test_without_pruning_everything_is_kept():
    for _, space in whole_spaces():
        held = Declarative(space, NOTHING).held
        assert held.kept_entries == held.entries
        assert held.kept_alternatives == held.alternatives


def test_without_pruning_every_entry_has_its_best_cost_after_any_changes():
    for seed in range(20):
        random = Random(seed)
        space = Searched(random_graph(random))
        one = Declarative(space, NOTHING)
        for _ in range(10):
            key, factor = random.choice(list(one.tables.entries)), random.choice(FACTORS)
            space.scale(key[0], factor)
            one.scaled(key[0], factor)
            one.settle()
            for node in one.tables.entries.values():
                expected = pytest.approx(by_recursion(space, node.key, {}), rel=1e-9)
                assert (node.best, node.low) == (expected, expected)


def test_bounds_spare_the_enumeration_of_some_alternatives():
    for graph in (q5(), q8_join(), seg_toll_s()):
        space = Searched(graph)
        assert Declarative(space).held.alternatives < 0.9 * Declarative(space, NOTHING).held.alternatives


def test_what_was_pruned_holds_a_lower_bound_after_any_changes():
    for seed in range(20):
        random = Random(seed)
        space = Searched(random_graph(random))
        one = Declarative(space)
        keys = list(one.tables.entries)
        for _ in range(20):
            key, factor = random.choice(keys), random.choice(FACTORS)
            space.scale(key[0], factor)
            one.scaled(key[0], factor)
            one.settle()
            for node in one.tables.entries.values():
                assert node.low <= by_recursion(space, node.key, {}) * (1 + 1e-9)


def two_roots() -> tuple[Searched, int]:
    """Two queries, r0 ⋈ r1 ⋈ r2 and r0 ⋈ r1 ⋈ r3, whose best plans share r0 ⋈ r1."""
    rows = {"r0": 10.0, "r1": 10.0, "r2": 1000.0, "r3": 1000.0}
    joins = [("r0.a", "r1.a"), ("r1.b", "r2.b"), ("r1.c", "r3.c")]
    return Searched(join_graph(rows, joins), (0b0111, 0b1011), physical=False), 0b0011


def test_a_sub_plan_of_two_pinned_roots_is_counted_twice():
    space, shared = two_roots()
    one = Declarative(space)
    assert len(one.tables.entries[shared, NONE].users) == 2
    space.scale(0b1010, 1e-6)
    one.scaled(0b1010, 1e-6)
    one.settle()
    assert len(one.tables.entries[shared, NONE].users) == 1


def test_every_increment_comes_before_any_decrement():
    turns = 0
    for seed in range(40):
        random = Random(seed)
        space = Searched(random_graph(random))
        agenda = Steady()
        one = Declarative(space, agenda=agenda)
        for _ in range(20):
            agenda.taken.clear()
            key, factor = random.choice(list(one.tables.entries)), random.choice(FACTORS)
            space.scale(key[0], factor)
            one.scaled(key[0], factor)
            one.settle()
            drops = [i for i, kind in enumerate(agenda.taken) if kind is Kind.DROP]
            keeps = [i for i, kind in enumerate(agenda.taken) if kind is Kind.KEEP]
            assert not drops or not keeps or max(keeps) < min(drops)
            turns += bool(drops and keeps)
    assert turns > 10


def wrong(told_as: float, prunings: Prunings) -> int:
    """Count wrong bests after decreases that are told as another factor."""
    missed = 0
    for seed in range(40):
        random = Random(seed)
        space = Searched(random_graph(random), physical=False)
        one = Declarative(space, prunings)
        for _ in range(5):
            key = random.choice(list(one.tables.entries))
            space.scale(key[0], 1 / 64)
            one.scaled(key[0], told_as)
            one.settle()
            missed += one.best(space.roots[0]) != pytest.approx(by_recursion(space, space.roots[0], {}))
    return missed


def test_a_decrease_that_does_not_reach_what_is_pruned_gives_wrong_plans():
    assert wrong(1 / 64, Prunings()) == 0
    assert wrong(64, Prunings()) > 0
    assert wrong(64, NOTHING) == 0


def test_every_part_of_the_best_plan_costs_exactly_its_bound_so_that_less_would_drop_it():
    for _, space in whole_spaces():
        one = Declarative(space, rounding=0)
        for key in one.plan(space.roots[0]):
            node = one.tables.entries[key]
            assert node.low == node.bound == node.best


def test_the_smallest_joins_read_leaves_so_that_the_printed_rule_8_costs_none():
    space = Searched(q5())
    for key in Declarative(space, NOTHING).tables.entries:
        pairs = [below for below in map(children, space.ways(key)) if len(below) == 2]
        assert key[0].bit_count() > 2 or all(mask.bit_count() == 1 for below in pairs for mask, _ in below)


def test_peers_see_a_change_of_nothing_as_nothing():
    space, shared = two_roots()
    for peer in (SystemR(space), Volcano(space), Declarative(space)):
        before = peer.best(space.roots[0])
        peer.scaled(shared, 1.0)
        peer.settle()
        assert peer.best(space.roots[0]) == before
