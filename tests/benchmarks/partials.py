"""Partial aggregates in the tick's pass against collecting the rows: processor time a tick, through Spark.

    rows       every row → Python: a window of panes, an aggregate by room
    columns    the same, of rows that have only the columns that the query reads
    partials   (room, pane) → count, sum, min, max in the JVM; one row a pair comes to Python

The log always has more to read. What decoding costs is left out: it is the same for all. Processor time is
counted, of all processes and of the driver alone, whose Python also runs the operators.
"""

import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from pyspark.sql import SparkSession

from engine.model.clock import SECOND
from engine.model.reading import Batch, Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.operators.accumulators import accumulator, argument
from engine.operators.aggregate import GroupAggregate
from engine.operators.event_window import EventWindow
from engine.plan.expressions import Field
from engine.plan.leaves import StreamFragment
from engine.plan.logical import AggregateCall
from engine.provenance.counting import COUNTING
from engine.spark.collect import Collector, Planned, _arrow_schema
from engine.spark.feed import SparkFeed, TickInput
from engine.spark.jvm import close_spark
from engine.spark.settings import SparkSettings
from tests.benchmarks._report import Result, report
from tests.environment.product import cpu_seconds

PATIENCE = float(os.environ.get("SMARTCIS_BENCH_SECONDS", "120"))
ROOMS, DEVICES = 50, 500
SIZES = {500: 60, 5_000: 30, 50_000: 8}
"""Rows a tick, and the ticks that are measured; half as many go before them."""
LENGTH, SLIDE, TICK = 60 * SECOND, 10 * SECOND, SECOND
ME = psutil.Process()
ORIGIN = 1_700_000_000 * SECOND
READINGS = Relation(
    "readings",
    RelationKind.STREAM,
    (
        Column("room", Type.TEXT),
        Column("device", Type.TEXT),
        Column("n", Type.BIGINT),
        Column("x", Type.DOUBLE),
    ),
)
FRAGMENT = StreamFragment("readings", READINGS.columns)
NARROW = StreamFragment("readings", (READINGS.columns[0], READINGS.columns[2]))


class Endless:
    """A reader with so many rows a read, a second of the stream apart."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.made = [
            (f"room {i % ROOMS}", f"device {i % DEVICES}", i * 7919 % 1000, float(i % 97))
            for i in range(size)
        ]

    def read(self, start: int) -> Batch:
        at = ORIGIN + (start // self.size) * TICK
        rows = [Reading("readings", 1, row, start + i, 0, at) for i, row in enumerate(self.made, 1)]
        return Batch(rows, start + self.size, at)


class Passing(SparkFeed):
    """Runs the pass its own way if it has one."""

    make: Callable[[Collector, Any], Planned] | None = None

    def _tick(self, batch: Any) -> None:
        if self.make is None:
            super()._tick(batch)
            return
        assert self._collector is not None
        collector = self._collector
        if collector._planned is None:
            collector._planned, collector._pass = self.make(collector, batch), self._pass
        found = collector.collect(self._pass, batch)
        rows = [row for part in found for row in zip(*(c.to_pylist() for c in part.columns), strict=True)]
        end, at = max(row[-2] for row in rows), max(row[-1] for row in rows)
        self._on_tick(TickInput(end, at, {FRAGMENT: rows}))
        self._progress.ticked(end)


def planned_partials(collector: Collector, batch: Any) -> Planned:
    """Return the pass that makes partial aggregates, the marker a group of its own."""
    to_seq = collector._to_seq
    named = [
        "IF(relation = '', NULL, texts[0]) AS room",
        f"-((-at) div {SLIDE}) AS pane",
        "relation = '' AS is_marker",
        "longs[0] AS n",
        "offset",
        "at",
    ]
    narrowed = batch.selectExpr(to_seq(named)).coalesce(1)
    keys = [narrowed.col(name) for name in ("room", "pane", "is_marker")]
    totals = ("count(1)", "sum(n)", "min(n)", "max(n)", "max(offset)", "max(at)")
    expression = _jvm().org.apache.spark.sql.functions.expr
    calls = [expression(text) for text in totals]
    frame = narrowed.groupBy(to_seq(keys)).agg(calls[0], to_seq(calls[1:]))
    node, nodes = frame.queryExecution().executedPlan(), []
    while node.children().size():
        nodes.insert(0, node)
        node = node.children().head()
    scan = batch.queryExecution().executedPlan()
    leaf = (scan.output(), scan.name(), scan.outputPartitioning(), scan.outputOrdering(), scan.stream())
    return Planned(frame, nodes, leaf, _arrow_schema(frame.schema().json()))


def _jvm() -> Any:
    session = SparkSession.getActiveSession()
    assert session is not None
    return session.sparkContext._jvm


class Rows:
    """The window and the aggregate over rows as they are."""

    def __init__(self, room: int, n: int) -> None:
        calls = [
            AggregateCall(name, field_of(name, n), Type.BIGINT) for name in ("count", "sum", "min", "max")
        ]
        self.window = EventWindow(COUNTING, LENGTH, None, SLIDE)
        self.totals = GroupAggregate(
            COUNTING, lambda row: (row[room],), [(accumulator(call), argument(call)) for call in calls]
        )
        self.totals.start()

    def __call__(self, tick: TickInput) -> None:
        (rows,) = tick.rows.values()
        self.totals.step(self.window.advance(rows, tick.at))


def field_of(name: str, n: int) -> Field | None:
    return None if name == "count" else Field(n, Type.BIGINT, "n")


class Panes:
    """The window over partial aggregates: a pair's of one pane are added up, then the panes of a room."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, int], tuple[int, int, int, int]] = {}
        self.answer: dict[str, tuple[int, int, int, int]] = {}

    def __call__(self, tick: TickInput) -> None:
        (rows,) = tick.rows.values()
        for room, pane, is_marker, count, total, low, high, _, _ in rows:  # type: ignore[misc]
            if not is_marker:
                before = self.held.get((room, pane), (0, 0, low, high))
                merged = before[0] + count, before[1] + total, min(before[2], low), max(before[3], high)
                self.held[room, pane] = merged
        end = tick.at // SLIDE
        self.held = {key: value for key, value in self.held.items() if key[1] * SLIDE > end * SLIDE - LENGTH}
        answer: dict[str, tuple[int, int, int, int]] = {}
        for (room, pane), (count, total, low, high) in self.held.items():
            if pane <= end:
                n, s, a, b = answer.get(room, (0, 0, low, high))
                answer[room] = n + count, s + total, min(a, low), max(b, high)
        self.answer = answer


class Spent(NamedTuple):
    """Milliseconds of processor time a tick."""

    all: float
    driver: float


def measure(size: int, way: str) -> Spent | None:
    """Return what a tick of so many rows takes; nothing where the machine is too busy to tell."""
    reader: Any = Endless(size)
    relation, fragment, on_tick = READINGS, FRAGMENT, Rows(0, 2) if way == "rows" else Panes()
    if way == "columns":
        reader.made = [(row[0], row[2]) for row in reader.made]
        relation = Relation("readings", RelationKind.STREAM, NARROW.columns)
        fragment, on_tick = NARROW, Rows(0, 1)
    ticks, count, done = SIZES[size], 0, threading.Event()
    marks: list[dict[int, float]] = []

    def tick(given: TickInput) -> None:
        nonlocal count
        on_tick(given)
        count += 1
        if count in (ticks // 2, ticks // 2 + ticks):
            marks.append(cpu_seconds([ME, *ME.children(recursive=True)]))
            done.set() if len(marks) == 2 else None

    with tempfile.TemporaryDirectory() as folder:
        feed = Passing(SparkSettings(Path(folder)), reader, [relation], lambda: (fragment,), tick)
        feed.make = planned_partials if way == "partials" else None
        feed.start(0)
        is_done = done.wait(PATIENCE)
        feed.stop()
        close_spark()
    return spent(*marks, ticks) if is_done else None


def spent(before: dict[int, float], after: dict[int, float], ticks: int) -> Spent:
    each = {pid: (seconds - before.get(pid, 0.0)) * 1000 / ticks for pid, seconds in after.items()}
    return Spent(sum(each.values()), each[ME.pid])


def main() -> int:
    results = []
    for size in SIZES:
        found = {way: measure(size, way) for way in ("rows", "columns", "partials")}
        rows = found["rows"]
        for way, each in found.items():
            if rows is None or each is None:
                print(f"{size} rows, {way}: too slow to tell")
                continue
            results.append(Result(f"{size} rows, {way}", each.all, "ms/tick", ratio=rows.all / each.all))
            results.append(Result(f"{size} rows, {way}: of the driver", each.driver, "ms/tick"))
    return report("partials", results)


if __name__ == "__main__":
    raise SystemExit(main())
