"""Snapshots and deltas meet in every watcher, whoever joins when, however slow a socket is."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.broadcaster import Broadcaster
from app.inbox import Inbox
from app.patience import FEW, LATE, MAX_BACKLOG, Patience
from app.replica import Replica
from engine.model.clock import ManualClock, SystemClock
from engine.model.values import Row, Type
from engine.service import Engine
from engine.views.view import Delta
from tests.environment.waiting import until
from tests.memory_engine import MemoryEngine
from tests.memory_log import MemoryLog
from tests.strategies import CATALOG

SHAPE = {"numbers": {"n": Type.BIGINT}}


class Sockets:
    """What browsers would hold, put together from the messages as a browser does."""

    def __init__(self) -> None:
        self.rooms: defaultdict[str, set[str]] = defaultdict(set)
        self.held: dict[tuple[str, str], Counter[Row]] = {}
        self.ticks: dict[tuple[str, str], int] = {}
        self.seen: list[tuple[str, str | None, Any]] = []
        self.queued: Counter[str] = Counter()

    def send(self, event: str, message: Any, to: str | None) -> None:
        self.seen.append((event, to, message))
        if event == "snapshot":
            self.held[to, message["view"]] = Counter(map(tuple, message["rows"]))  # type: ignore[index]
            self.ticks[to, message["view"]] = message["tick"]  # type: ignore[index]
        if event == "delta":
            for sid in self.rooms[message["view"]]:
                self._change(sid, message)

    def _change(self, sid: str, message: dict[str, Any]) -> None:
        place = (sid, message["view"])
        assert self.ticks[place] == message["after"], "a gap, or a delta seen twice"
        self.ticks[place] = message["tick"]
        for count, row in message["changes"]:
            self.held[place][tuple(row)] += count
        self.held[place] = +self.held[place]

    def join(self, sid: str, room: str) -> None:
        self.rooms[room].add(sid)

    def leave(self, sid: str, room: str) -> None:
        self.rooms[room].discard(sid)

    def backlog(self, sid: str) -> int:
        return self.queued[sid]

    def sweep(self) -> None: ...

    def count(self, event: str) -> int:
        return sum(name == event for name, _, _ in self.seen)


class Hall:
    def __init__(self) -> None:
        self.engine, self.sockets = MemoryEngine(SHAPE), Sockets()
        self.broadcaster = Broadcaster(self.engine, self.sockets, SystemClock(), SystemClock())
        self.broadcaster.start()

    def insert(self, *numbers: int) -> None:
        self.engine.close_tick(0, numbers=[((n,), 1) for n in numbers])

    def agrees(self, sid: str) -> bool:
        return self.sockets.held.get((sid, "numbers")) == self.engine.rows["numbers"]

    def until_agreed(self, *sids: str) -> None:
        until(lambda: all(self.agrees(sid) for sid in sids), 5, "every watcher to hold the view")


@pytest.fixture
def hall() -> Iterator[Hall]:
    hall = Hall()
    yield hall
    hall.broadcaster.stop()


def test_watchers_who_join_at_any_time_hold_the_same(hall: Hall) -> None:
    for n in range(30):
        hall.insert(n)
        hall.broadcaster.watch(f"socket {n}", "numbers")
    hall.until_agreed(*(f"socket {n}" for n in range(30)))
    assert len(hall.engine.subscriptions) == 1


def test_the_subscription_ends_with_the_last_watcher(hall: Hall) -> None:
    for sid in ("a", "b"):
        hall.broadcaster.watch(sid, "numbers")
    hall.until_agreed("a", "b")
    hall.broadcaster.unwatch("a", "numbers")
    hall.broadcaster.forget("b")
    until(lambda: not hall.engine.subscriptions, 5, "the subscription to close")
    hall.broadcaster.watch("c", "numbers")
    hall.until_agreed("c")


def test_an_unknown_view_is_refused_in_words(hall: Hall) -> None:
    hall.broadcaster.watch("a", "nothing")
    until(lambda: hall.sockets.count("refused"), 5, "the refusal")
    _, to, message = next(seen for seen in hall.sockets.seen if seen[0] == "refused")
    assert to == "a"
    assert message == {"view": "nothing", "error": "unknown view nothing; there are numbers"}


def test_a_pulse_comes_each_second_with_the_tick(hall: Hall) -> None:
    hall.insert(1)
    until(lambda: hall.sockets.count("pulse") >= 2, 5, "two pulses")
    pulse = [message for event, _, message in hall.sockets.seen if event == "pulse"][-1]
    assert (pulse["run"], pulse["tick"]) == ("run-1", 1)


def test_a_missing_delta_begins_the_view_again(hall: Hall) -> None:
    hall.insert(1)
    hall.broadcaster.watch("a", "numbers")
    hall.until_agreed("a")
    hall.engine.rows["numbers"][(2,)] += 1  # a tick whose delta got lost
    hall.engine.tick = hall.engine.changed["numbers"] = 7
    hall.insert(3)
    hall.until_agreed("a")
    assert hall.sockets.count("snapshot") == 2
    assert len(hall.engine.subscriptions) == 1


def test_a_slow_socket_leaves_the_room_and_gets_a_snapshot_when_it_is_back(hall: Hall) -> None:
    for sid in ("slow", "quick"):
        hall.broadcaster.watch(sid, "numbers")
    hall.until_agreed("slow", "quick")
    hall.sockets.queued["slow"] = MAX_BACKLOG + 1
    for n in range(20):
        hall.insert(n)
    hall.until_agreed("quick")
    assert "slow" not in hall.sockets.rooms["numbers"]
    hall.sockets.queued["slow"] = 0
    hall.until_agreed("slow", "quick")
    hall.insert(99)
    hall.until_agreed("slow", "quick")


def test_a_socket_for_which_something_always_waits_is_behind_after_two_seconds_however_little_it_is() -> None:
    clock = ManualClock(0)
    patience = Patience(clock)
    assert not patience.is_over("slow", FEW + 1)
    clock.advance(LATE)
    assert not patience.is_over("slow", FEW + 1)
    clock.advance(1)
    assert patience.is_over("slow", FEW + 1)
    assert not patience.is_over("slow", FEW)
    assert not patience.is_over("slow", FEW + 1)
    assert patience.is_over("quick", MAX_BACKLOG + 1)


def test_a_failing_post_does_not_end_the_broadcaster(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(hall.sockets, "send", broken)
        hall.broadcaster.watch("a", "numbers")
        hall.insert(1)
        until(lambda: hall.engine.subscriptions, 5, "the attempt")
    hall.broadcaster.watch("b", "numbers")
    hall.until_agreed("b")


def test_an_inbox_never_grows_beyond_its_bound() -> None:
    inbox = Inbox(max_rows=10)
    for tick in range(1, 100):
        inbox.put(Delta("v", "r", tick, tick - 1, 0, (((tick,), 1),)))
    taken = inbox.take(0)
    assert (taken.deltas, taken.lost) == ({}, {"v"})
    inbox.put(Delta("v", "r", 100, 99, 0, (((100,), 1),)))
    assert len(inbox.take(0).deltas["v"]) == 1


STEPS = st.lists(
    st.one_of(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from([1, -1])), max_size=3),
        st.just("flush"),
        st.just("join"),
    ),
    max_size=30,
)


@given(STEPS)
def test_a_snapshot_taken_at_any_time_and_the_deltas_after_it_give_the_view(steps: list[Any]) -> None:
    engine = MemoryEngine(SHAPE)
    inbox: list[Delta] = []
    replica = Replica(engine.subscribe("numbers", inbox.append).snapshot)
    watchers: list[tuple[int, Counter[Row]]] = []

    def flush() -> None:
        change = replica.flush()
        if change is None:
            return
        for i, (tick, rows) in enumerate(watchers):
            assert tick == change.after
            for row, count in change.changes:
                rows[row] += count
            watchers[i] = (change.tick, rows)

    for step in steps:
        if step == "join":
            flush()
            found = replica.snapshot()
            watchers.append((found.tick, Counter(dict(found.rows))))
        elif step == "flush":
            flush()
        else:
            engine.close_tick(0, numbers=[((n,), sign) for n, sign in step])
            assert all(replica.fold(change) for change in inbox)
            inbox.clear()
    flush()
    for _, rows in watchers:
        assert {row: n for row, n in rows.items() if n} == dict(engine.rows["numbers"])


def test_over_the_engine_itself_watchers_hold_its_view_whatever_the_ticks() -> None:
    log = MemoryLog()
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW numbers AS SELECT n, count(*) AS c FROM notes GROUP BY n")
    engine, sockets, random = Engine(session), Sockets(), Random(3)
    broadcaster = Broadcaster(engine, sockets, SystemClock(), SystemClock())
    broadcaster.start()
    for n in range(60):
        end = log.write(1, "notes", ("k", random.randrange(4), True))
        start = engine.stamp().offset
        pieces = {each: log.fragment(each, start, end) for each in engine.fragments()}
        engine.advance(end, log.stamps[end], pieces)
        if n % 5 == 0:
            broadcaster.watch(f"socket {n}", "numbers")
    wanted = Counter(dict(engine.snapshot("numbers").rows))
    assert wanted.total() == 4
    until(lambda: list(sockets.held.values()) == [wanted] * 12, 5, "every watcher to hold the view")
    broadcaster.stop()
    engine.stop()
