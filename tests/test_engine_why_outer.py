"""Why a row of an outer join is there, padded or not, and why not: its pair, or the absence of any match."""

import random
import time
from itertools import product

import pytest

from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.session import Session
from engine.views.lineage import BaseRow
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from tests.memory_log import Change, Entry, MemoryLog, rows_of

Facts = set[tuple[str, Row]]


def table(name: str, *columns: str) -> Relation:
    types = [Type.BIGINT if column in ("n", "m") else Type.TEXT for column in columns]
    return Relation(name, RelationKind.TABLE, tuple(map(Column, columns, types)))


CATALOG = Catalog([table("rooms", "room", "n"), table("seats", "place", "m")])
LEFT = "SELECT room, n, place, m FROM rooms LEFT JOIN seats ON room = place"
LARGER = f"{LEFT} AND m > n"
FULL = LARGER.replace("LEFT", "FULL")
FREE = "SELECT room, n, place, m FROM rooms LEFT JOIN seats ON m > n"
ROOMS = {("rooms", ("a", 1)), ("rooms", ("b", 2)), ("rooms", (None, 3))}
FACTS = ROOMS | {("seats", ("a", 1)), ("seats", ("a", 2)), ("seats", ("c", 5)), ("seats", (None, 9))}


def session_of(text: str, facts: Facts) -> Session:
    log = MemoryLog([Entry(1, [Change(name, 1, row) for name, row in sorted(facts, key=repr)])])
    session = log.session(CATALOG)
    session.create_view(f"CREATE VIEW asked AS {text}")
    log.tick(session)
    return session


def effort() -> Effort:
    return Effort(10, 10**6, time.monotonic)


def why(text: str, row: Row, facts: Facts = FACTS):
    return session_of(text, facts).why("asked", row, effort())


def gaps(text: str, row: Row, facts: Facts = FACTS):
    found = session_of(text, facts).why_not("asked", row, effort())
    assert not found.is_truncated
    return found.gaps


def test_a_pair_stands_on_both_of_its_rows():
    found = why(LEFT, ("a", 1, "a", 2))
    assert set(found.witness) == {BaseRow("rooms", ("a", 1)), BaseRow("seats", ("a", 2))}
    assert not found.absent
    assert list(found.provenance.derivations()) == [frozenset(found.witness)]


def test_a_padded_row_stands_on_its_row_and_on_no_match():
    found = why(LEFT, ("b", 2, None, None))
    assert found.witness == (BaseRow("rooms", ("b", 2)),)
    (absent,) = found.absent
    assert (absent.relation, absent.key) == ("seats", ("b",))
    (gap,) = absent.missing.gaps
    assert (gap.reason, gap.of, gap.wanted) == (Reason.NO_ROW, "seats", {"place": "b"})
    assert list(found.provenance.derivations()) == [frozenset(found.witness)]


def test_of_a_key_that_is_null_nothing_more_is_to_be_said():
    (absent,) = why(LEFT, (None, 3, None, None)).absent
    assert absent.key == (None,)
    assert not absent.missing.gaps


def test_rows_that_have_the_key_and_fail_the_condition_are_told():
    (absent,) = why(LARGER, ("a", 2, None, None), FACTS | {("rooms", ("a", 2))}).absent
    (gap,) = absent.missing.gaps
    assert (gap.reason, gap.condition) == (Reason.CONDITION, "(seats.m > rooms.n)")
    assert set(gap.found) == {("a", 1), ("a", 2)}
    (absent,) = why(FREE, ("a", 9, None, None), FACTS | {("rooms", ("a", 9))}).absent
    assert absent.missing.gaps[0].reason is Reason.CONDITION


def test_a_row_that_only_the_right_of_a_full_join_has_stands_on_that():
    found = why(FULL, (None, None, "c", 5))
    assert found.witness == (BaseRow("seats", ("c", 5)),)
    assert [(each.relation, each.key) for each in found.absent] == [("rooms", ("c",))]


def test_a_padded_row_is_not_there_where_matches_block_it():
    (gap,) = gaps(LEFT, ("a", 1, None, None))
    assert gap.reason is Reason.BLOCKED
    assert set(gap.by) == {BaseRow("seats", ("a", 1)), BaseRow("seats", ("a", 2))}
    (gap,) = gaps(LARGER, ("a", 1, None, None))
    assert gap.by == (BaseRow("seats", ("a", 2)),)
    (gap,) = gaps(FULL, (None, None, "a", 2))
    assert gap.by == (BaseRow("rooms", ("a", 1)),)


def test_a_pair_is_not_there_for_the_row_that_is_missing_or_the_condition_that_fails():
    assert [(gap.reason, gap.of) for gap in gaps(LEFT, ("z", 1, "z", 2))] == [(Reason.NO_ROW, "rooms")]
    assert [(gap.reason, gap.of) for gap in gaps(LEFT, ("b", 2, "b", 7))] == [(Reason.NO_ROW, "seats")]
    (gap,) = gaps(LARGER, ("a", 1, "a", 1))
    assert (gap.reason, gap.condition) == (Reason.CONDITION, "(seats.m > rooms.n)")
    assert [gap.reason for gap in gaps(LEFT, ("b", 2, "c", 5))] == [Reason.OTHER_VALUE]
    assert [(gap.reason, gap.of) for gap in gaps(FULL, (None, None, "x", 1))] == [(Reason.NO_ROW, "seats")]


TEXTS = [
    LEFT,
    LARGER,
    FULL,
    FREE,
    "SELECT r.room, r.n, s.place, t.m FROM rooms r LEFT JOIN seats s ON r.room = s.place "
    "LEFT JOIN seats t ON t.m = r.n",
    "SELECT room, n, (SELECT max(m) FROM seats WHERE place = room) AS most, "
    "EXISTS (SELECT * FROM seats WHERE m = n) AS there FROM rooms",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("seed", range(8))
def test_without_any_of_its_base_rows_a_row_is_gone_and_every_other_row_is_answered_for(seed, text):
    chosen = random.Random(seed)
    facts: Facts = {
        (name, (chosen.choice(["a", "b", None]), chosen.choice([0, 1, 2, None])))
        for name in ("rooms", "seats")
        for _ in range(4)
    }
    session = session_of(text, facts)
    there = sorted(rows_of(session, "asked"), key=repr)
    for row in there[:5]:
        found = session.why("asked", row, effort())
        derivations = list(found.provenance.derivations())
        assert all({tuple(base) for base in each} <= facts for each in derivations)
        for base in frozenset.intersection(*derivations) if "SELECT max" not in text else ():
            assert row not in rows_of(session_of(text, facts - {tuple(base)}), "asked")
    for row in chosen.sample(list(product(["a", "b", None], [0, None], ["a", None], [1, None])), 8):
        try:
            told = session.why_not("asked", row, effort())
        except QueryError:
            continue
        assert told.gaps
        for gap in told.gaps:
            if gap.reason is Reason.BLOCKED and gap.of == "seats" and text in TEXTS[:3]:
                freed = session_of(text, facts - {tuple(each) for each in gap.by})
                assert row in rows_of(freed, "asked")
