"""What blocks a way is named: without it the row that stands on the cut is gone, and one cut off is there."""

import random
import time

import pytest

from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.plan.logical import Fixpoint, Plan, Scan
from engine.queries.clauses import atom, clause
from engine.queries.paths import cheapest
from engine.queries.reachability import reachable
from engine.queries.wayfinding import open_ways, reached, without
from engine.session import Session
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from engine.views.why.gap import Gap
from engine.views.why.missing import Missing
from tests.memory_log import Change, Entry, MemoryLog, rows_of

POINTS = "abcdef"
Facts = set[tuple[str, Row]]


def table(name: str, *columns: str) -> Relation:
    types = [Type.BIGINT if column == "length" else Type.TEXT for column in columns]
    return Relation(name, RelationKind.TABLE, tuple(map(Column, columns, types)))


SEGMENTS = table("segments", "segment", "a", "b", "length")
SHUT = table("shut", "door", "state")
DOORS = table("doors", "door", "segment")
STARTS = table("starts", "point")
ROOMS = table("rooms", "point")
CATALOG = Catalog([SEGMENTS, SHUT, DOORS, STARTS, ROOMS])
CLOSED = clause({"segment": "s"}, atom(Scan(SHUT, None), "d", "_"), atom(Scan(DOORS, None), "d", "s"))
WAYS = open_ways(Scan(SEGMENTS, None), CLOSED)
FOUND = reached(WAYS, Scan(STARTS, None))
LOST = without(Scan(ROOMS, None), FOUND, "point")
ENDS = {"src": "a", "dst": "b"}
PAIRS: Fixpoint = reachable(clause(ENDS, atom(WAYS, "a", "b", "_")))
COSTS: Plan = cheapest(clause({**ENDS, "cost": "w"}, atom(WAYS, "a", "b", "w")))


def facts_of(ways: str, shut: str = "", starts: str = "a") -> Facts:
    """Return facts, a way and its door being named by its two points."""
    facts: Facts = {("segments", (way, way[0], way[1], 1)) for way in ways.split()}
    facts |= {("doors", (f"door {way}", way)) for way in ways.split()}
    facts |= {("shut", (f"door {way}", "shut")) for way in shut.split()}
    return facts | {("starts", (at,)) for at in starts} | {("rooms", (at,)) for at in POINTS}


def session_of(plan: Plan, facts: Facts) -> Session:
    log = MemoryLog([Entry(1, [Change(name, 1, row) for name, row in sorted(facts)])])
    session = log.session(CATALOG)
    session.install("view", plan)
    log.tick(session)
    return session


def effort(steps: int = 10**6) -> Effort:
    return Effort(10, steps, time.monotonic)


def holds(plan: Plan, facts: Facts, row: Row) -> bool:
    return row in rows_of(session_of(plan, facts), "view")


def why_lost(facts: Facts, point: str, steps: int = 10**6) -> Missing:
    (absent,) = session_of(LOST, facts).why("view", (point,), effort(steps)).absent
    return absent.missing


def blocked(gaps: tuple[Gap, ...]) -> list[Gap]:
    return [gap for gap in gaps if gap.reason is Reason.BLOCKED]


def test_each_closed_door_of_a_room_is_named_with_its_rows():
    cut, *gaps = why_lost(facts_of("ab bc ac de", shut="bc ac de"), "c").gaps
    assert (cut.reason, cut.condition) == (
        Reason.CUT_OFF,
        "1 reached, 2 lead there, and none of segments and shut and doors between",
    )
    assert {(gap.condition, gap.by) for gap in gaps} == {
        (f"from c to {at}", (("shut", (f"door {at}c", "shut")), ("doors", (f"door {at}c", f"{at}c"))))
        for at in "ab"
    }


def test_doors_that_only_together_make_a_way_are_named_together():
    facts = facts_of("ab bc cd de ef", shut="ab cd ef")
    gaps = blocked(why_lost(facts, "e").gaps)
    assert [gap.wanted for gap in gaps] == [{"segment": "cd"}, {"segment": "ab"}]
    assert {gap.condition for gap in gaps} == {"one of 2 that block together"}


def test_a_room_that_no_door_keeps_away_is_cut_off_by_no_door():
    assert not blocked(why_lost(facts_of("ab cd ef", shut="ef"), "c").gaps)


def test_several_rows_that_block_one_segment_are_all_found():
    facts = facts_of("ab", shut="ab") | {("doors", ("second", "ab")), ("shut", ("second", "shut"))}
    (gap,) = blocked(why_lost(facts, "b").gaps)
    assert {base.row[0] for base in gap.by} == {"door ab", "second"}
    assert gap.condition == "from b to a; in 2 ways"


def test_more_than_are_told_is_said():
    ways = " ".join(f"{x}{y}" for x in "abc" for y in "defghijk")
    facts = facts_of(ways, shut=ways, starts="defghijk") | {("rooms", (at,)) for at in "abc"}
    facts |= {("segments", ("open", "a", "b", 1)), ("segments", ("ajar", "b", "c", 1))}
    found = why_lost(facts, "a")
    assert len(blocked(found.gaps)) == 11
    assert found.is_truncated
    assert why_lost(facts, "a", steps=3).is_truncated


def test_the_cut_is_told_even_where_the_effort_does_not_find_what_blocks_it():
    found = why_lost(facts_of("ab bc", shut="bc"), "c", steps=36)
    assert [gap.reason for gap in found.gaps] == [Reason.CUT_OFF]
    assert found.is_truncated


@pytest.mark.parametrize("seed", range(25))
def test_without_what_blocks_the_row_is_gone_and_where_nothing_does_no_door_would_help(seed):
    chosen = random.Random(seed)
    facts = any_facts(chosen)
    for (point,) in sorted(rows_of(session_of(LOST, facts), "view"))[:3]:
        found = why_lost(facts, point)
        gaps = blocked(found.gaps)
        assert not found.is_truncated
        assert bool(gaps) != holds(LOST, {fact for fact in facts if fact[0] != "shut"}, (point,))
        for without_it in freed(facts, gaps, chosen):
            assert not holds(LOST, without_it, (point,))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("plan", [PAIRS, COSTS], ids=["pairs", "costs"])
def test_without_what_blocks_a_pair_that_is_cut_off_is_there(plan, seed):
    chosen = random.Random(seed)
    facts = any_facts(chosen)
    session = session_of(plan, facts)
    there = {row[:2] for row in rows_of(session, "view")}
    apart = [(x, y) for x in POINTS for y in POINTS if (x, y) not in there]
    for pair in chosen.sample(apart, min(3, len(apart))):
        found = session.why_not("view", pair if plan is PAIRS else (*pair, 1), effort())
        if not any(gap.reason is Reason.CUT_OFF for gap in found.gaps):
            continue
        for without_it in freed(facts, blocked(found.gaps), chosen):
            assert pair in {row[:2] for row in rows_of(session_of(plan, without_it), "view")}


def any_facts(chosen: random.Random) -> Facts:
    ways = {x + y for x, y in (chosen.sample(POINTS, 2) for _ in range(7))}
    shut = chosen.sample(sorted(ways), len(ways) * 2 // 3)
    return facts_of(" ".join(ways), " ".join(shut))


def freed(facts: Facts, gaps: list[Gap], chosen: random.Random) -> list[Facts]:
    """Return the facts without one base row of each gap, or without one of all that block together."""
    removed = [{tuple(chosen.choice(gap.by))} for gap in gaps]
    if any("together" in gap.condition for gap in gaps):
        removed = [set().union(*removed)]
    return [facts - each for each in removed]
