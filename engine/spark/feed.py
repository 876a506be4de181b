"""The feed: one Structured Streaming query whose micro-batches are the engine's ticks.

    start(offset) → query ─micro-batch→ one pass → TickInput → closer → on_tick
                      │                                └─ hold the pace → next micro-batch
                      └─ fails → back-off → the query again, from the last closed tick's offset

A tick is closed when ``on_tick`` returns; a micro-batch that ends at or before the last tick brought is
not delivered again. Spark's checkpoint is disposable: every query begins a fresh one. The pass is
built inside the micro-batch, so other fragments never restart the query.

``on_tick`` runs on a thread of its own, one tick at a time, while Spark brings the next.
"""

import shutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import structlog
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from engine.model.errors import InternalError
from engine.model.reading import Reader, Reading
from engine.model.relation import Relation
from engine.plan.leaves import StreamFragment
from engine.spark.closer import Closer
from engine.spark.collect import Collector, MicroBatches
from engine.spark.jvm import open_spark
from engine.spark.one_pass import OnePass
from engine.spark.pace import Pace
from engine.spark.settings import QUERY_OPTIONS, SparkSettings
from engine.spark.source import NAME, log_source
from engine.spark.total_pass import pass_for
from engine.spark.trouble import in_one_line

FIRST_BACK_OFF = 0.5
LONGEST_BACK_OFF = 15.0
BEHIND = 2_000  # a tick of so many log entries is catching up, and nothing holds it back

log = structlog.get_logger(__name__)


class TickInput(NamedTuple):
    """What one tick brings: the log up to ``end``, of time ``at``, to every fragment the pass knew of."""

    end: int
    at: int
    rows: Mapping[StreamFragment, Sequence[Reading]]


class Health(NamedTuple):
    """How the feed does: ``reason`` says why no ticks flow, and is None while they do."""

    closed: int
    ticks: int
    failures: int
    reason: str | None


class SparkFeed:
    """Feeds ticks to ``on_tick``; a failed query is restarted by itself.

    ``fragments`` says which fragments run now, ``pace`` how many seconds apart ticks should start.
    """

    def __init__(
        self,
        settings: SparkSettings,
        reader: Reader,
        relations: Iterable[Relation],
        fragments: Callable[[], tuple[StreamFragment, ...]],
        on_tick: Callable[[TickInput], None],
        pace: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._settings = settings
        self._source = log_source(reader, relations, settings.ranges)
        self._fragments = fragments
        self._on_tick = on_tick
        self._pace = Pace(pace)
        self._pass = OnePass(())
        self._collector: Collector | None = None
        self._query: StreamingQuery | None = None
        self._is_stopping = threading.Event()
        self._progress = Progress()
        self._brought = 0
        self._closer = Closer(self._close, self._end_query)
        self._thread = threading.Thread(target=self._keep_running, name="spark-feed", daemon=True)

    def start(self, offset: int) -> None:
        """Begin with what follows ``offset``; returns at once, ticks come when Spark is up."""
        self._progress.closed = offset
        self._thread.start()

    def stop(self) -> None:
        """Let the tick at hand close, then end the query; the JVM stays until ``close_spark`` or exit."""
        self._is_stopping.set()
        self._pace.release()
        self._end_query()
        self._thread.join()
        self._closer.end()

    def hurry(self) -> None:
        """Ask for the pace again at once; for when it became quicker."""
        self._pace.hurry()

    def health(self) -> Health:
        return self._progress.health()

    def _keep_running(self) -> None:
        back_off = FIRST_BACK_OFF
        while not self._is_stopping.is_set():
            ticks = self._progress.ticks
            try:
                self._run()
                error: Exception | None = None
            except Exception as failure:
                error = failure
            if self._is_stopping.is_set():
                return
            if self._progress.ticks > ticks:
                back_off = FIRST_BACK_OFF
            self._progress.failed(in_one_line(error))
            log.warning("the feed stopped and restarts", reason=self._progress.reason, after_seconds=back_off)
            self._is_stopping.wait(back_off)
            back_off = min(2 * back_off, LONGEST_BACK_OFF)

    def _run(self) -> None:
        session = open_spark(self._settings)
        self._collector = Collector(session)
        self._closer.begin()
        self._brought = self._progress.closed
        query = self._query = self._begin(session)
        if self._is_stopping.is_set():
            self._end_query()
        query.awaitTermination()
        self._closer.settle()

    def _begin(self, session: SparkSession) -> StreamingQuery:
        checkpoint = self._settings.folder / "checkpoint"
        shutil.rmtree(checkpoint, ignore_errors=True)
        session.dataSource.register(self._source)
        stream = session.readStream.format(NAME).option("start", str(self._brought)).load()
        writer = stream.writeStream.options(checkpointLocation=str(checkpoint), **QUERY_OPTIONS)
        MicroBatches(self._on_batch).attach(session, writer)
        return writer.start()

    def _end_query(self) -> None:
        if self._query is not None:
            _quietly(self._query.stop)

    def _on_batch(self, batch: Any) -> None:
        if self._is_stopping.is_set():
            return
        begun = self._brought
        try:
            self._bring(batch)
        except Exception as error:
            if self._is_stopping.is_set():
                return
            self._progress.failed(in_one_line(error))
            raise
        self._pace.hold(is_behind=self._brought - begun >= BEHIND)

    def _bring(self, batch: Any) -> None:
        assert self._collector is not None
        fragments = self._fragments()
        if fragments != self._pass.wanted_by:
            self._pass = pass_for(fragments)
        piece = self._pass.split(self._collector.collect(self._pass, batch))
        if piece.end <= self._brought:
            return
        if piece.start != self._brought:
            message = f"a tick of the log after {piece.start} came where one after {self._brought} was due"
            raise InternalError(message)
        self._closer.give(TickInput(piece.end, piece.at, piece.rows))
        self._brought = piece.end

    def _close(self, tick: TickInput) -> None:
        self._on_tick(tick)
        self._progress.ticked(tick.end)


@dataclass
class Progress:
    """What became of the ticks so far."""

    closed: int = 0
    ticks: int = 0
    failures: int = 0
    reason: str | None = "Spark is starting"

    def ticked(self, end: int) -> None:
        self.closed = end
        self.ticks += 1
        self.reason = None

    def failed(self, reason: str) -> None:
        self.failures += 1
        self.reason = reason

    def health(self) -> Health:
        return Health(self.closed, self.ticks, self.failures, self.reason)


def _quietly(stop: Callable[[], None]) -> None:
    """Stop what may have ended, or never have begun."""
    try:
        stop()
    except Exception as error:
        log.debug("ended before it was stopped", reason=in_one_line(error))
