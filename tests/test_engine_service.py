"""The engine's thread: questions between ticks, readers that come and go while ticks flow."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.model.errors import InternalError, QueryError
from engine.operators.budget import Budget
from engine.service import Engine
from engine.views.view import Delta
from tests.environment.waiting import until
from tests.memory_log import MemoryLog, applied
from tests.strategies import CATALOG, log_entries

COUNTS = "CREATE VIEW counts AS SELECT k, count(*) AS n FROM seats [ROWS 20] GROUP BY k"
PAIRS = "CREATE VIEW pairs AS SELECT s.k, r.n FROM seats [RANGE 6 SECONDS] s, rooms r WHERE s.k = r.k"


class Feed:
    """Ticks of one random entry each, on a thread of their own, until told to stop."""

    def __init__(self, engine: Engine, log: MemoryLog) -> None:
        self.engine, self.log = engine, log
        self._entries = log_entries(seed=7, length=600)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def tick(self) -> None:
        fragments, start = self.engine.fragments(), self.log.end
        end = self.log.append(self._entries[start % len(self._entries)])
        pieces = {fragment: self.log.fragment(fragment, start, end) for fragment in fragments}
        self.engine.advance(end, self.log.stamps[end], pieces)

    def _run(self) -> None:
        while not self._stopping.is_set() and self.log.end < 3_000:
            self.tick()

    def __enter__(self) -> "Feed":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


@pytest.fixture
def engine(log: MemoryLog) -> Iterator[Engine]:
    running = Engine(log.session(CATALOG))
    running.create_view(COUNTS)
    running.create_view(PAIRS)
    yield running
    running.stop()


@pytest.fixture
def feed(engine: Engine, log: MemoryLog) -> Feed:
    return Feed(engine, log)


class Reader:
    """A subscription and what it was told."""

    def __init__(self, engine: Engine, view: str) -> None:
        self.told: list[Delta] = []
        self.subscription = engine.subscribe(view, self.told.append)

    def rows(self) -> Counter:
        return applied(self.subscription.snapshot, self.told)


def now(engine: Engine, view: str) -> Counter:
    return Counter(dict(engine.snapshot(view).rows))


def test_whoever_subscribes_while_ticks_flow_misses_nothing_and_hears_nothing_twice(engine, feed):
    readers: list[Reader] = []

    def come_and_go() -> None:
        for view in ["counts", "pairs"] * 15:
            reader = Reader(engine, view)
            readers.append(reader)
            until(lambda reader=reader: reader.told, 10, f"a delta of {view}")

    with feed, ThreadPoolExecutor(4) as pool:
        for visit in [pool.submit(come_and_go) for _ in range(4)]:
            visit.result()
    assert len(readers) == 120
    assert len({reader.subscription.snapshot.tick for reader in readers}) > 20
    for reader in readers:
        assert reader.rows() == now(engine, reader.subscription.snapshot.view)


def test_an_answer_is_of_one_whole_tick(engine, feed):
    """``counts`` counts what the window holds; half-way through a tick it would hold 21."""

    def ask() -> int:
        most = 0
        for _ in range(200):
            most = max(most, sum(n * count for (_, n), count in engine.snapshot("counts").rows))
            assert engine.stamp().tick <= engine.ask(engine.stamp).tick
        return most

    with feed, ThreadPoolExecutor(4) as pool:
        found = [pool.submit(ask) for _ in range(4)]
        assert max(future.result() for future in found) <= 20


def test_queries_made_while_ticks_flow_are_right_and_end_with_their_last_reader(engine, feed):
    def follow(n: int) -> None:
        for _ in range(10):
            name = engine.query(f"SELECT k, x FROM tags [PARTITION BY k ROWS {n}]")
            readers = [Reader(engine, name) for _ in range(2)]
            until(lambda readers=readers: readers[0].told, 10, "a delta")
            readers[0].subscription.close()
            assert name in [view.name for view in engine.views()]

            def same(name=name, readers=readers) -> bool:
                held = readers[1].rows()
                return now(engine, name) == held

            assert engine.ask(same)
            readers[1].subscription.close()
            readers[1].subscription.close()
            assert name not in [view.name for view in engine.views()]

    with feed, ThreadPoolExecutor(3) as pool:
        for visit in [pool.submit(follow, n) for n in (1, 2, 3)]:
            visit.result()
    assert [view.name for view in engine.views()] == ["counts", "pairs"]


def test_a_question_that_fails_is_its_asker_s_trouble_only(engine, feed):
    def fail() -> None:
        message = "no"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="no"):
        engine.ask(fail)
    with pytest.raises(QueryError, match="unknown relation nowhere"):
        engine.query("SELECT x FROM nowhere")
    feed.tick()
    assert engine.stamp().tick == 1


def test_a_reader_that_fails_or_leaves_while_told_takes_nothing_from_the_others(engine, feed, log):
    leaving: list[Reader] = []

    def leave(_: Delta) -> None:
        leaving[0].subscription.close()

    def fail(_: Delta) -> None:
        message = "no"
        raise RuntimeError(message)

    ticks: list[int] = []
    leaving.append(Reader(engine, "counts"))
    leaving[0].subscription.deliver = leave
    engine.subscribe("counts", fail)
    staying = Reader(engine, "counts")
    engine.on_tick(lambda _: fail(None))
    engine.on_tick(lambda stamp: ticks.append(stamp.tick))
    log.write(0, "seats", ("a", 1, None, None))
    engine.advance(1, log.stamps[1], {f: log.fragment(f, 0, 1) for f in engine.fragments()})
    assert staying.rows() == {("a", 1): 1}
    assert ticks == [1]
    assert len(engine._subscriptions["counts"]) == 2


def test_a_view_that_is_watched_is_not_dropped(engine):
    reader = Reader(engine, "counts")
    with pytest.raises(QueryError, match="counts is being watched by 1; close them first"):
        engine.drop_view("counts")
    reader.subscription.close()
    engine.drop_view("counts")
    with pytest.raises(QueryError, match="unknown view counts; there are pairs"):
        engine.snapshot("counts")


def test_the_first_reader_is_noticed(engine):
    noticed: list[str] = []
    engine.on_watched = lambda: noticed.append("watched")
    assert not engine.is_watched()
    first, second = Reader(engine, "counts"), Reader(engine, "pairs")
    assert engine.is_watched()
    first.subscription.close()
    second.subscription.close()
    assert not engine.is_watched()
    assert noticed == ["watched"]


def test_a_view_is_kept_before_its_maker_is_answered(engine):
    kept: list[list[str]] = []
    engine.keep_views = lambda: kept.append([view.name for view in engine.views()])
    engine.create_view("CREATE VIEW v AS SELECT k FROM rooms")
    engine.drop_view("v")
    assert kept == [["counts", "pairs", "v"], ["counts", "pairs"]]


def test_a_stopped_engine_says_so(engine):
    engine.stop()
    with pytest.raises(InternalError, match="the engine has stopped"):
        engine.snapshot("counts")


def test_a_reader_of_a_suspended_view_is_told_and_a_new_one_is_refused_with_the_reason(log):
    engine = Engine(log.session(CATALOG, Budget(20)))
    feed = Feed(engine, log)
    try:
        name = engine.query("SELECT a.k, b.k AS other FROM seats [ROWS 30] a, seats [ROWS 30] b")
        reader = Reader(engine, name)
        until(
            lambda: feed.tick() or (reader.told and reader.told[-1].after == reader.told[-1].tick),
            10,
            "a gap",
        )
        with pytest.raises(QueryError, match=f"the view {name} is suspended: .* went over 20 rows"):
            engine.subscribe(name, reader.told.append)
        (info,) = engine.views()
        assert info.suspended
        reader.subscription.close()
        assert engine.views() == ()
    finally:
        engine.stop()
