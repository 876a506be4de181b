"""The matrix form of best-cost recursion, against recomputation."""

import math
import operator
import random
from collections import deque
from itertools import pairwise

import pytest

from engine.model.errors import QueryError
from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.recursion.frontier.form import FrontierForm
from engine.operators.recursion.matrices import lowering
from engine.operators.recursion.matrices.best_paths import BestPathsForm
from engine.operators.recursion.matrices.costs import CostRule
from engine.operators.recursion.passing import Layout

COMBINE = {"+": operator.add, "greatest": max, "least": min}


def best_paths(edges, seeds, width, rule):
    """H by rounds from nothing; NULL in z meets nothing."""
    best, combine = {"min": min, "max": max}[rule[0]], COMBINE[rule[1]]
    found = {}

    def offer(pair, cost):
        if pair not in found or best(cost, found[pair]) != found[pair]:
            found[pair] = cost
            return True
        return False

    for row in seeds:
        offer((row[:width], row[width:-1]), row[-1])
    into = {}
    for row in edges:
        if None not in row[width:-1]:
            into.setdefault(row[width:-1], []).append((row[:width], row[-1]))
    waiting = deque(found)
    while waiting:
        z, y = waiting.popleft()
        waiting += [(x, y) for x, w in into.get(z, ()) if offer((x, y), combine(w, found[z, y]))]
    return {x + y + (cost,) for (x, y), cost in found.items()}


def reordered(rows, order):
    return {tuple(row[i] for i in order) for row in rows}


def difference(old, new):
    return dict.fromkeys(old - new, -1) | dict.fromkeys(new - old, 1)


def take(held, change):
    for row, sign in change.items():
        (held.add if sign > 0 else held.remove)(row)


def toggled(held, rows):
    return {row: -1 if row in held else 1 for row in rows}


def check_witness(form, row, order, width, rule, edges, seeds):
    steps = form.witness(row)
    *path, (last, seed) = steps
    wanted = [None] * len(order)
    for i, position in enumerate(order):
        wanted[position] = row[i]
    assert len(set(steps)) == len(steps)
    assert [number for number, _ in path] == [0] * len(path)
    assert last == 1
    assert {edge for _, edge in path} <= edges
    assert seed in seeds
    rows = [*(edge for _, edge in path), seed]
    assert rows[0][:width] == tuple(wanted[:width])
    assert all(one[width : 2 * width] == other[:width] for one, other in pairwise(rows))
    assert seed[width:-1] == tuple(wanted[width:-1])
    cost = seed[-1]
    for _, edge in reversed(path):
        cost = COMBINE[rule[1]](edge[-1], cost)
    assert cost == wanted[-1]


NUMBERS = [(n,) for n in range(8)]
NAMES = [(name,) for name in ("lobby", "stairs", "lab", "desk", "door", None)]
PAIRS = [(floor, room) for floor in (1, 2, None) for room in ("a", "b", "c")]
SMALL, ZERO, TENTHS = (1, 2, 3, 5), (0, 0, 1, 2), (0.1, 0.2, 0.3, 0.7, 1.1)
MIXED, NEGATIVE = (0.0, 0.1, 1e-17, 3.0, 0.30000000000000004), (-7, -2, 0, 4, 9)
HUGE = (2**52, 2**53 + 1, 2**61 + 7, 3)
CASES = {
    # x, ȳ or None where the seeds are the edges, costs, rule, order, edges alive
    "least sum": (NUMBERS, None, SMALL, ("min", "+"), (0, 1, 2), 16),
    "least sum, dense": (NUMBERS[:5], None, SMALL, ("min", "+"), (1, 2, 0), 20),
    "zero costs": (NUMBERS, None, ZERO, ("min", "+"), (0, 1, 2), 16),
    "tenths": (NUMBERS, None, TENTHS, ("min", "+"), (0, 1, 2), 18),
    "mixed fractions": (NUMBERS[:6], None, MIXED, ("min", "+"), (0, 1, 2), 14),
    "names and NULLs": (NAMES, None, SMALL, ("min", "+"), (2, 0, 1), 12),
    "two columns": (PAIRS, None, SMALL, ("min", "+"), (0, 1, 2, 3, 4), 14),
    "beyond doubles": (NUMBERS[:6], None, HUGE, ("min", "+"), (0, 1, 2), 12),
    "bottleneck": (NUMBERS, None, NEGATIVE, ("min", "greatest"), (0, 1, 2), 16),
    "widest": (NUMBERS, None, SMALL, ("max", "least"), (0, 1, 2), 16),
    "widest tenths": (NUMBERS, None, TENTHS, ("max", "least"), (0, 1, 2), 16),
    "regions": (NUMBERS, NAMES[:3], SMALL, ("min", "+"), (0, 1, 2), 14),
    "regions, zero costs": (NUMBERS[:6], NAMES[:3], ZERO, ("min", "+"), (1, 0, 2), 14),
    "regions, tenths": (NUMBERS, NAMES[:3], TENTHS, ("min", "+"), (0, 1, 2), 16),
    "regions, widest": (NUMBERS, NAMES[:3], NEGATIVE, ("max", "least"), (0, 1, 2), 14),
    "regions, huge": (NUMBERS[:6], NAMES[:3], HUGE, ("min", "+"), (0, 1, 2), 12),
    "pairs to names": (PAIRS, NAMES, SMALL, ("min", "+"), (2, 0, 3, 1), 14),
    "nothing passes": (NUMBERS, [()], SMALL, ("min", "+"), (1, 0), 12),
    "nothing passes, zero costs": (NUMBERS[:6], [()], ZERO, ("min", "+"), (0, 1), 14),
    "nothing passes, tenths": (NUMBERS, [()], TENTHS, ("min", "+"), (0, 1), 16),
    "nothing passes, widest": (NUMBERS, [()], NEGATIVE, ("max", "least"), (0, 1), 14),
    "nothing passes, huge": (NUMBERS[:6], [()], HUGE, ("min", "+"), (0, 1), 12),
    "nothing passes, pairs": (PAIRS, [()], SMALL, ("min", "+"), (2, 0, 1), 14),
}


def form_of(xs, ys, costs, rule, order, budget=None):
    width = len(xs[0])
    integral = isinstance(costs[0], int)
    passing = width if ys is None else len(ys[0])
    layout, costs_as = Layout(width, passing, order), CostRule(*rule, integral)
    if not passing:
        return FrontierForm(layout, costs_as, budget or Budget())
    return BestPathsForm(layout, costs_as, ys is None, budget or Budget())


def batch(held, rng, near, live):
    """Some rows that go and some that come, few or many."""
    size = rng.choice((1, 1, 2, 3, 9))
    old = sorted(held, key=repr)
    if len(held) > live:
        return dict.fromkeys(rng.sample(old, live // 3), -1)
    return toggled(held, {*rng.sample(old, min(len(old), size // 2)), *[near() for _ in range(size)]})


@pytest.fixture(params=["few", "many"])
def offers(request, monkeypatch):
    """What is few is lowered cell by cell, what is many in blocks; here all is the one or the other."""
    monkeypatch.setattr(lowering, "FEW_OFFERS", {"few": 10**9, "many": 0}[request.param])


@pytest.mark.usefixtures("offers")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", [0])
def test_every_step_puts_out_what_recomputation_finds_changed(case, seed):
    xs, ys, costs, rule, order, live = CASES[case]
    rng = random.Random(f"{case} {seed}")
    width = len(xs[0])
    form = form_of(xs, ys, costs, rule, order)
    edges, given, before = set(), set(), set()
    for _ in range(250):
        change = batch(edges, rng, lambda: rng.choice(xs) + rng.choice(xs) + (rng.choice(costs),), live)
        take(edges, change)
        if ys is None:
            seeds, seed_change = edges, change
        else:
            seeds = given
            row = rng.choice(xs) + rng.choice(ys) + (rng.choice(costs),)
            some = rng.sample(sorted(given, key=repr), len(given) // 3 if len(given) > 6 else 0)
            seed_change = toggled(given, {*some, row} if rng.random() < 0.6 else {})
            take(given, seed_change)
        found = form.step(change, seed_change)
        now = reordered(best_paths(edges, seeds, width, rule), order)
        assert found == difference(before, now)
        assert {type(row[order.index(len(order) - 1)]) for row in found} <= {type(costs[0])}
        before = now
        assert form.entries() == len(edges) + len(seeds) + len(now)
        for row in rng.sample(sorted(now, key=repr), min(2, len(now))):
            check_witness(form, row, order, width, rule, edges, seeds)


@pytest.mark.usefixtures("offers")
@pytest.mark.parametrize("costs", [SMALL, TENTHS, ZERO])
def test_failures_and_recoveries_of_a_larger_graph_are_exact(costs):
    rng = random.Random(11)
    form = form_of(NUMBERS, None, costs, ("min", "+"), (0, 1, 2))
    nodes = range(40)
    links = {(a, b): rng.choice(costs) for a in nodes for b in rng.sample(nodes, 3)}
    edges = {(*link, cost) for link, cost in links.items()}
    load = dict.fromkeys(edges, 1)
    view = set(form.step(load, load))
    assert view == best_paths(edges, edges, 1, ("min", "+"))
    for _ in range(60):
        failed = dict.fromkeys(rng.sample(sorted(edges), rng.choice((1, 2, 20))), -1)
        for change in (failed, {row: 1 for row in failed}):
            take(edges, change)
            found = form.step(change, change)
            now = best_paths(edges, edges, 1, ("min", "+"))
            assert found == difference(view, now)
            view = now


def test_of_parallel_edges_the_cheapest_counts():
    form = form_of(NUMBERS, None, (1,), ("min", "+"), (0, 1, 2))
    change = {(1, 2, 5): 1, (1, 2, 3): 1}
    assert form.step(change, change) == {(1, 2, 3): 1}
    change = {(1, 2, 3): -1}
    assert form.step(change, change) == {(1, 2, 3): -1, (1, 2, 5): 1}
    assert form.witness((1, 2, 5)) == ((1, (1, 2, 5)),)


def test_a_node_comes_back_to_itself_by_its_cheapest_cycle():
    form = form_of(NUMBERS, None, (1,), ("min", "+"), (0, 1, 2))
    change = {(1, 2, 5): 1, (2, 1, 3): 1, (1, 1, 9): 1}
    form.step(change, change)
    assert form.witness((1, 1, 8)) == ((0, (1, 2, 5)), (1, (2, 1, 3)))
    change = {(2, 1, 3): -1}
    assert form.step(change, change) == {(1, 1, 8): -1, (1, 1, 9): 1, (2, 1, 3): -1, (2, 2, 8): -1}


def test_a_negative_cost_in_a_sum_is_refused_by_name():
    form = form_of(NUMBERS, None, (1,), ("min", "+"), (0, 1, 2))
    with pytest.raises(QueryError, match=r"costs -3; the least sum over paths expects costs of at least 0"):
        form.step({(1, 2, -3): 1}, {(1, 2, -3): 1})


@pytest.mark.parametrize("cost", [math.nan, math.inf])
def test_a_cost_that_is_no_finite_number_is_refused(cost):
    form = form_of(NUMBERS, NAMES, (1.0,), ("min", "+"), (0, 1, 2))
    with pytest.raises(QueryError, match="expected a finite number"):
        form.step({}, {(1, "lab", cost): 1})


def test_more_rows_or_cells_than_the_budget_stop_the_step():
    chain = {(n, n + 1, 1): 1 for n in range(100)}
    with pytest.raises(BudgetExceeded, match="recursion"):
        form_of(NUMBERS, None, (1,), ("min", "+"), (0, 1, 2), Budget(rows=1000)).step(chain, chain)
    apart = {(n, n + 1, 1): 1 for n in range(0, 2000, 2)}
    with pytest.raises(
        BudgetExceeded, match="best paths over 2,000 by 2,000 nodes take more than 80,000 cells"
    ):
        form_of(NUMBERS, None, (1,), ("min", "+"), (0, 1, 2), Budget(rows=5000)).step(apart, apart)


@pytest.mark.parametrize("ys", [None, [("exit",)]])
def test_what_no_row_names_any_more_takes_no_room(ys):
    form = form_of(NUMBERS, ys, (1,), ("min", "+"), (0, 1, 2))
    live = deque()
    for n in range(2000):
        row = (n, n + 1, 1 + n % 3)
        live.append(row)
        form.step({row: 1}, {row: 1} if ys is None else {})
        if len(live) > 20:
            old = live.popleft()
            form.step({old: -1}, {old: -1} if ys is None else {})
    assert len(form._nodes.values) <= 23
    assert form._paths._matrix.values.shape[0] <= 64
    assert len(form._paths._matrix.links.cost) <= 80
    for row in live:
        form.step({row: -1}, {row: -1} if ys is None else {})
    assert form.entries() == len(form._nodes) == 0


def test_a_sum_beyond_the_largest_bigint_is_no_row():
    half = 2**62
    form = form_of(NUMBERS, None, (1,), ("min", "+"), (0, 1, 2), Budget())
    output = form.step({(0, 1, half): 1, (1, 2, half): 1}, {(0, 1, half): 1, (1, 2, half): 1})
    assert output == {(0, 1, half): 1, (1, 2, half): 1}
    assert set(form.rows()) == set(output)
    assert form.step({(1, 2, half): -1}, {(1, 2, half): -1}) == {(1, 2, half): -1}
