"""Recursion in every physical form, over random stratified programs and what happens to their relations.

after every tick:  view = oracle,  delta = oracle now − oracle before,  each witness derives its row
"""

from random import Random

import pytest

from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.plan.logical import Scan
from engine.plan.windows import Range
from engine.queries import paths, reachability
from tests.fuzz import Tally, fuzz_programs, smallest
from tests.memory_log import Change, Entry
from tests.oracle_bags import TooMuch
from tests.random_programs import random_history, random_program
from tests.strategies import relation
from tests.watched_plan import WatchedPlan, Wrong

LINK = relation("link", RelationKind.STREAM, None, (), src=Type.TEXT, dst=Type.TEXT, cost=Type.BIGINT)
KEPT = relation("kept", RelationKind.TABLE, None, ("src",), src=Type.TEXT, dst=Type.TEXT, cost=Type.BIGINT)
FRESH = Scan(LINK, Range(10))
TABLE = Scan(KEPT, None)


def seen(source: str, target: str, sign: int = 1, relation: str = "link") -> Change:
    return Change(relation, sign, (source, target, 1))


def test_no_random_program_shows_a_wrong_view_delta_or_witness():
    tally = fuzz_programs(steps=3000, seed=20)
    assert tally.steps >= 3000
    assert tally.wrong == 0, tally


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_other_random_program_does_either():
    tally = fuzz_programs(steps=60_000, seed=Random().randrange(10**9))
    assert tally.wrong == 0, tally


@pytest.mark.parametrize("query", [reachability.reachable, paths.min_hops, paths.shortest_paths])
def test_a_link_that_expires_takes_its_paths_along_unless_it_was_seen_again(query):
    watched = WatchedPlan(query(FRESH), [LINK])
    watched.tick(seen("a", "b"), seen("b", "c"))
    watched.tick(seen("a", "b"), gap=6)
    assert {row[:2] for row in watched.tick(gap=6)} == {("a", "b")}
    assert not watched.tick(gap=6)


def test_an_old_timer_does_nothing_to_a_link_seen_again_in_the_tick_in_which_it_expires():
    watched = WatchedPlan(reachability.reachable(FRESH), [LINK])
    watched.tick(seen("a", "b"), seen("b", "a"))
    before = watched.rows
    assert watched.tick(seen("a", "b"), seen("b", "a"), gap=10) == before


def test_a_key_that_is_replaced_moves_everything_behind_it():
    watched = WatchedPlan(reachability.reachable(TABLE), [KEPT])
    watched.tick(*[seen(a, b, relation="kept") for a, b in ("ab", "bc", "xy")])
    assert set(watched.tick(seen("b", "x", relation="kept"))) == {
        ("a", "b"), ("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("x", "y"),
    }  # fmt: skip


def test_deleting_what_is_not_there_changes_nothing():
    watched = WatchedPlan(reachability.reachable(TABLE), [KEPT])
    before = watched.tick(seen("a", "b", relation="kept"))
    assert watched.tick(seen("a", "c", -1, "kept"), seen("q", "r", -1, "kept")) == before


def test_a_cycle_does_not_hold_itself_up():
    watched = WatchedPlan(reachability.nonlinear_closure(TABLE), [KEPT])
    watched.tick(*[seen(a, b, relation="kept") for a, b in ("sa", "ab", "bc", "ca")])
    assert ("s", "c") in watched.rows
    assert not any(source == "s" for source, _ in watched.tick(seen("s", "a", -1, "kept")))


def test_entries_cut_into_one_tick_or_into_many_end_equal():
    random = Random(7)
    for _ in range(30):
        program = random_program(random)
        entries = [e for tick in random_history(program, random).ticks(12) for e in tick]
        try:
            at_once, each = (WatchedPlan(program.plan, program.relations) for _ in range(2))
            at_once.tick_of(entries)
            for entry in entries:
                each.tick_of([entry])
        except TooMuch:
            continue
        assert at_once.rows == each.rows


@pytest.mark.parametrize("query", [reachability.reachable, paths.min_hops, reachability.even_and_odd])
def test_a_snapshot_taken_under_a_window_goes_on_as_if_nothing_had_been(query):
    watched = WatchedPlan(query(FRESH), [LINK])
    watched.tick(seen("a", "b"), seen("b", "c"))
    watched.tick(seen("c", "a"), gap=6)
    watched.restart()
    assert {row[0] for row in watched.tick(gap=6)} <= {"c"}
    assert watched.tick(seen("a", "b"))


def test_a_failing_history_is_cut_down_to_what_fails():
    def fails(history: list[list[Entry]]) -> bool:
        return sum(len(entry.changes) for tick in history for entry in tick) > 1

    history = [[Entry(1, [seen("a", "b")] * 5)], [Entry(1, [])], [Entry(1, [seen("a", "c")])]]
    cut = smallest(history, fails)
    assert sum(len(entry.changes) for tick in cut for entry in tick) == 2


def test_a_view_that_misses_a_row_is_called_wrong():
    watched = WatchedPlan(reachability.reachable(TABLE), [KEPT])
    watched.tick(seen("a", "b", relation="kept"))
    watched.watches[0].session._views["watched"].rows.clear()
    with pytest.raises(Wrong, match="view"):
        watched.tick()
    assert Tally().wrong == 0
