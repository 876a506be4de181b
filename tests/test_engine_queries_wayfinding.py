"""Ways on foot: by hand on a small floor, and current under random doors, segments and targets."""

from collections import Counter
from random import Random

import pytest

from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from engine.plan.logical import Plan, Scan
from engine.queries.wayfinding import nearest, open_ways, reached
from tests.memory_log import Change, Entry, MemoryLog
from tests.oracle import evaluate
from tests.strategies import relation
from tests.watched_plan import WatchedPlan

TEXT, BIGINT = Type.TEXT, Type.BIGINT


def table(name: str, **columns: Type) -> Relation:
    return relation(name, RelationKind.TABLE, None, (), **columns)


SEGMENTS = table("segments", segment=TEXT, a=TEXT, b=TEXT, length=BIGINT)
SHUT = table("shut", segment=TEXT)
STARTS = table("starts", point=TEXT)
TARGETS = table("targets", point=TEXT, target=TEXT, length=BIGINT)
RELATIONS = (SEGMENTS, SHUT, STARTS, TARGETS)
segments, shut, starts, targets = (Scan(each, None) for each in RELATIONS)
ways = open_ways(segments, shut)
LOOP: list[Row] = [("s1", "a", "b", 3), ("s2", "b", "c", 3), ("s3", "a", "d", 4), ("s4", "d", "c", 4)]


def rows(plan: Plan, **standing: list[Row]) -> set[Row]:
    log = MemoryLog([Entry(1, [Change(name, 1, row) for row in held]) for name, held in standing.items()])
    found = evaluate(plan, log.readings, 1)
    assert set(found.values()) <= {1}
    return set(found)


def test_a_way_leads_over_the_shorter_side_of_a_loop_and_round_a_closed_door():
    machine: list[Row] = [("c", "m", 0)]
    assert rows(nearest(ways, targets), segments=LOOP, targets=machine) == {
        ("a", "b", "m", 6), ("b", "c", "m", 3), ("c", "c", "m", 0), ("d", "c", "m", 4),
    }  # fmt: skip
    assert rows(nearest(ways, targets), segments=LOOP, targets=machine, shut=[("s2",)]) == {
        ("a", "d", "m", 8), ("b", "a", "m", 11), ("c", "c", "m", 0), ("d", "c", "m", 4),
    }  # fmt: skip


def test_of_equal_ways_and_equal_targets_the_first_is_taken():
    even: list[Row] = [(name, a, b, 1) for name, a, b, _ in LOOP]
    found = rows(nearest(ways, targets), segments=even, targets=[("c", "n", 0), ("c", "m", 0)])
    assert ("a", "b", "m", 2) in found
    assert len(found) == 4


def test_the_nearest_target_is_another_one_behind_a_closed_door():
    both: list[Row] = [("b", "near", 0), ("c", "far", 0)]
    found = rows(nearest(ways, targets), segments=LOOP, targets=both, shut=[("s1",)])
    assert ("a", "d", "far", 8) in found


def test_a_target_that_is_further_off_its_point_is_not_the_nearest():
    beside: list[Row] = [("c", "far off", 9), ("c", "close", 1), ("b", "next door", 2)]
    found = rows(nearest(ways, targets), segments=LOOP, targets=beside)
    assert {("c", "c", "close", 1), ("b", "b", "next door", 2), ("a", "b", "next door", 5)} <= found


def test_what_has_no_length_no_end_or_no_name_leads_nowhere():
    nowhere: list[Row] = [
        ("t1", "a", None, 1),
        ("t2", None, "c", 1),
        ("t3", "a", "c", None),
        ("t4", "a", "c", 0),
    ]
    nobody: list[Row] = [("c", "m", 0), (None, "n", 0), ("b", "n", None), ("a", None, 1)]
    found = rows(nearest(ways, targets), segments=LOOP + nowhere, targets=nobody)
    assert found == rows(nearest(ways, targets), segments=LOOP, targets=[("c", "m", 0)])
    watched = WatchedPlan(nearest(ways, targets), RELATIONS)
    watched.tick(*[Change("segments", 1, row) for row in nowhere + LOOP])
    watched.tick(*[Change("targets", 1, row) for row in nobody])
    watched.tick(*[Change("targets", -1, row) for row in nobody])


def test_without_a_target_there_is_no_way():
    assert rows(nearest(ways, targets), segments=LOOP) == set()


def test_what_closed_doors_cut_off_is_not_reached():
    assert rows(reached(ways, starts), segments=LOOP, starts=[("a",)]) == {(p,) for p in "abcd"}
    closed: list[Row] = [("s2",), ("s4",)]
    assert rows(reached(ways, starts), segments=LOOP, starts=[("a",)], shut=closed) == {(p,) for p in "abd"}


def drawn(random: Random) -> Change:
    """A door, a machine, an entrance or a wall, more or less."""
    points = "abcdefg"
    a, b = random.sample(points, 2)
    row: Row
    name, row = random.choice(
        [
            ("segments", (random.choice("123456789"), a, b, random.choice((1, 1, 2, 5)))),
            ("shut", (random.choice("123456789"),)),
            ("starts", (random.choice("ab"),)),
            ("targets", (a, random.choice("xyz"), random.choice((0, 1, 4)))),
        ]
    )
    return Change(name, 1, row)


@pytest.mark.parametrize("plan", [nearest(ways, targets), reached(ways, starts)], ids=["nearest", "reached"])
def test_ways_are_current_under_any_changes(plan: Plan):
    for seed in range(6):
        random, watched = Random(seed), WatchedPlan(plan, RELATIONS)
        standing: Counter[tuple[str, Row]] = Counter()
        for _ in range(25):
            changes = [drawn(random) for _ in range(random.choice((1, 1, 3)))]
            held = [*standing.elements()]
            if held and random.random() < 0.45:
                name, row = random.choice(held)
                changes = [Change(name, -1, row)]
            standing.update({(c.relation, c.row): c.sign for c in changes})
            standing = +standing
            watched.tick(*changes)
