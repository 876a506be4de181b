"""The bitset form of pass-through linear recursion, against recomputation."""

import random
from collections import deque

import pytest

from engine.operators.budget import Budget, BudgetExceeded
from engine.operators.recursion.bitsets.closure import ClosureForm

STEPS = 700


def closure(edges, seeds, width):
    """H by search from each x along the edges; NULL in z meets nothing."""
    after, given = {}, {}
    for row in edges:
        if None not in row[width:]:
            after.setdefault(row[:width], []).append(row[width:])
    for row in seeds:
        given.setdefault(row[:width], set()).add(row[width:])
    rows = set()
    for x in {*after, *given}:
        seen, waiting = {x}, deque([x])
        while waiting:
            at = waiting.popleft()
            rows |= {x + y for y in given.get(at, ())}
            for z in after.get(at, ()):
                if z not in seen:
                    seen.add(z)
                    waiting.append(z)
    return rows


def reordered(rows, order):
    return {tuple(row[i] for i in order) for row in rows}


def difference(old, new):
    return dict.fromkeys(old - new, -1) | dict.fromkeys(new - old, 1)


def change_of(held, rows, rng, size):
    """A batch: rows that are there go, rows that are not come."""
    return {row: -1 if row in held else 1 for row in rng.sample(rows, min(size, len(rows)))}


def take(held, change):
    for row, sign in change.items():
        (held.add if sign > 0 else held.remove)(row)


def check_witness(form, row, order, width, edges, seeds):
    steps = form.witness(row)
    *path, (last, seed) = steps
    wanted = [None] * len(order)
    for i, position in enumerate(order):
        wanted[position] = row[i]
    at = tuple(wanted[:width])
    assert len(set(steps)) == len(steps)
    for number, edge in path:
        assert number == 0
        assert edge in edges
        assert edge[:width] == at
        at = edge[width:]
    assert last == 1
    assert seed in seeds
    assert seed == at + tuple(wanted[width:])


NUMBERS = [(n,) for n in range(9)]
NAMES = [(name,) for name in ("lobby", "stairs", "lab", "desk", "door", None)]
PAIRS = [(floor, room) for floor in (1, 2, None) for room in ("a", "b", "c")]
CASES = {
    "sparse": (NUMBERS, NUMBERS, (0, 1), 14),
    "dense": (NUMBERS[:6], NUMBERS[:6], (1, 0), 24),
    "names and NULLs": (NAMES, NUMBERS[:4], (0, 1), 12),
    "two columns": (PAIRS, PAIRS, (2, 0, 3, 1), 14),
    "two to one": (PAIRS, NAMES, (0, 1, 2), 14),
    "nothing passes": (NUMBERS, [()], (0,), 12),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_every_step_puts_out_what_recomputation_finds_changed(case, seed):
    xs, ys, order, live = CASES[case]
    rng = random.Random(f"{case} {seed}")
    width = len(xs[0])
    form = ClosureForm(width, len(ys[0]), order, Budget())
    edges, seeds, before = set(), set(), set()
    for _ in range(STEPS):
        wanted = [(rng.choice(xs) + rng.choice(xs)) for _ in range(live)]
        size = rng.choice((1, 1, 2, 3, 8))
        edge_change = change_of(edges, sorted({*wanted, *edges}, key=repr), rng, size)
        given = [rng.choice(xs) + rng.choice(ys) for _ in range(4)]
        seed_change = change_of(seeds, sorted({*given, *seeds}, key=repr), rng, rng.choice((0, 0, 1, 2)))
        if len(edges) > live:
            edge_change = dict.fromkeys(rng.sample(sorted(edges, key=repr), live // 3), -1)
        take(edges, edge_change)
        take(seeds, seed_change)
        found = form.step(edge_change, seed_change)
        now = reordered(closure(edges, seeds, width), order)
        assert found == difference(before, now)
        before = now
        assert form.entries() == len(edges) + len(seeds) + len(now)
        for row in rng.sample(sorted(now, key=repr), min(2, len(now))):
            check_witness(form, row, order, width, edges, seeds)


def test_seeds_that_are_the_edges_give_reachability_one_link_at_a_time():
    rng = random.Random(5)
    form = ClosureForm(1, 1, (0, 1), Budget())
    links, before = set(), set()
    rows = [(a, b) for a in range(12) for b in range(12)]
    for _ in range(1500):
        change = change_of(
            links, rng.sample(sorted(links), min(len(links), 9)) + rng.sample(rows, 10), rng, 1
        )
        take(links, change)
        found = form.step(change, change)
        now = closure(links, links, 1)
        assert found == difference(before, now)
        before = now


def test_a_cycle_that_loses_its_support_is_gone():
    form = ClosureForm(1, 1, (0, 1), Budget())
    form.step({("a", "b"): 1, ("b", "a"): 1, ("b", "c"): 1}, {("c", 7): 1})
    assert form.step({("b", "c"): -1}, {}) == {("a", 7): -1, ("b", 7): -1}
    assert form.step({}, {("a", 7): 1}) == {("a", 7): 1, ("b", 7): 1}
    assert form.witness(("b", 7)) == ((0, ("b", "a")), (1, ("a", 7)))


def test_a_row_whose_witness_goes_while_another_comes_is_not_put_out():
    form = ClosureForm(1, 1, (0, 1), Budget())
    form.step({("a", "b"): 1}, {("b", 1): 1, ("c", 1): 1})
    assert form.step({("a", "b"): -1, ("a", "c"): 1}, {}) == {}
    assert form.step({}, {("c", 1): -1, ("a", 1): 1}) == {("c", 1): -1}


def test_a_set_of_many_is_decoded_as_one_of_few():
    form = ClosureForm(1, 1, (1, 0), Budget())
    seeds = {("z", n): 1 for n in range(300)}
    assert form.step({("x", "z"): 1}, seeds) == {(n, x): 1 for n in range(300) for x in ("x", "z")}
    few = {("z", n): -1 for n in (3, 299)}
    assert form.step({}, few) == {(n, x): -1 for n in (3, 299) for x in ("x", "z")}
    assert form.step({("x", "z"): -1}, {}) == {(n, "x"): -1 for n in range(299) if n != 3}


def test_what_no_row_names_any_more_takes_no_room():
    form = ClosureForm(1, 1, (0, 1), Budget())
    live = deque()
    for n in range(3000):
        row = (n, n + 1)
        live.append(row)
        form.step({row: 1}, {row: 1})
        if len(live) > 20:
            old = live.popleft()
            form.step({old: -1}, {old: -1})
    assert len(form._vertices) == 21
    assert len(form._passing.values) <= 22
    assert max(vertex.reach.bit_length() for vertex in form._vertices) <= 22
    for row in live:
        form.step({row: -1}, {row: -1})
    assert form.entries() == len(form._vertices) == len(form._passing) == 0


def test_a_number_is_not_given_to_a_new_value_while_rows_still_hold_it():
    form = ClosureForm(1, 1, (0, 1), Budget())
    form.step({("a", "b"): 1}, {("b", "old"): 1})
    found = form.step({}, {("b", "old"): -1, ("b", "new"): 1})
    assert found == {("b", "old"): -1, ("a", "old"): -1, ("b", "new"): 1, ("a", "new"): 1}


def test_more_rows_than_the_budget_stop_the_step():
    chain = {(n, n + 1): 1 for n in range(200)}
    with pytest.raises(BudgetExceeded, match="recursion"):
        ClosureForm(1, 1, (0, 1), Budget(rows=1000)).step(chain, chain)
