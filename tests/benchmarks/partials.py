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
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from engine.model.clock import SECOND
from engine.model.reading import Batch, Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.operators.accumulators import accumulator, argument
from engine.operators.aggregate import GroupAggregate
from engine.operators.event_window import EventWindow
from engine.operators.totals import Totals
from engine.plan.expressions import Field
from engine.plan.leaves import StreamFragment, TotalFragment
from engine.plan.logical import AggregateCall
from engine.provenance.counting import COUNTING
from engine.spark.feed import SparkFeed, TickInput
from engine.spark.jvm import close_spark
from engine.spark.settings import SparkSettings
from federated.placing.totalled import AGAIN
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
CALLS = tuple(
    AggregateCall(name, None if name == "count" else Field(2, Type.BIGINT, "n"))
    for name in ("count", "sum", "min", "max")
)
TOTALS = TotalFragment("readings", READINGS.columns, None, (0,), CALLS, SLIDE)
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
    """The window over totals by pane, and the aggregate over those."""

    def __init__(self) -> None:
        again = [
            AggregateCall(AGAIN[call.function], Field(2 + i, Type.BIGINT)) for i, call in enumerate(CALLS)
        ]
        self.window = Totals(COUNTING, TOTALS, LENGTH, SLIDE)
        self.totals = GroupAggregate(
            COUNTING, lambda row: (row[0],), [(accumulator(call), argument(call)) for call in again]
        )
        self.totals.start()

    def __call__(self, tick: TickInput) -> None:
        (rows,) = tick.rows.values()
        self.totals.step(self.window.advance(rows, tick.at))


class Spent(NamedTuple):
    """Milliseconds of processor time a tick."""

    all: float
    driver: float


def measure(size: int, way: str) -> Spent | None:
    """Return what a tick of so many rows takes; nothing where the machine is too busy to tell."""
    reader: Any = Endless(size)
    on_tick: Rows | Panes
    fragment: StreamFragment
    relation, fragment, on_tick = READINGS, FRAGMENT, Rows(0, 2)
    if way == "partials":
        fragment, on_tick = TOTALS, Panes()
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
        feed = SparkFeed(SparkSettings(Path(folder)), reader, [relation], lambda: (fragment,), tick)
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
