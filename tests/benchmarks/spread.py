"""A table in shares beside Spark's executors, and the same table in the driver: memory, ticks, and a loss.

    floor   this process grows by at most a tenth of what it grows by with the table in it
    floor   it is no larger after the largest table than 1.25 times what it was after the smallest
    floor   ten tables that change in one tick take at most half as long together as one after the other

A keyed table of four columns, loaded in ticks of 5,000 rows; then ticks that replace 1,000 rows, and 5. A
snapshot packs what it holds; a loss has all shares made anew by the journal. Megabytes are those of the
driver's Python; the table in it comes last, since a process gives nothing back.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from engine.model.reading import Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.operators.budget import Budget
from engine.operators.leaf import Leaf
from engine.operators.of_plan import leaf_of
from engine.partitions.leaves.abreast import abreast
from engine.partitions.leaves.leaf import SpreadLeaf, spread_leaf
from engine.plan.leaves import StreamFragment, Table
from engine.spark import SparkCarrier, SparkSettings, close_spark, open_spark
from tests.benchmarks._report import Result, report

SIZES = (10_000, 100_000, 1_000_000)
PARTITIONS, AT_ONCE, TICKS = 2, 5_000, 15
GROWS, FLAT, MANY, TOGETHER = 0.1, 1.25, 10, 0.5
COLUMNS = {"asset": Type.TEXT, "class": Type.BIGINT, "value": Type.DOUBLE, "room": Type.TEXT}
ASSETS = Relation("assets", RelationKind.TABLE, tuple(Column(*each) for each in COLUMNS.items()), ("asset",))
PLAN = Table(ASSETS, StreamFragment(ASSETS.name, ASSETS.columns))


def readings(numbers: range, of: int) -> list[Reading]:
    return [
        Reading(ASSETS.name, 1, (f"asset {n}", of, n / 7, f"room {n % 97}"), n + 1, 0, n) for n in numbers
    ]


def megabytes() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


def took(what: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    what()
    return time.perf_counter() - begun


def load(leaf: Leaf[int], size: int) -> None:
    for first in range(0, size, AT_ONCE):
        leaf.advance(readings(range(first, min(first + AT_ONCE, size)), 0), first)


def tick(leaf: Leaf[int], size: int, count: int) -> float:
    """Return the milliseconds of a tick that replaces so many rows."""
    times = []
    for turn in range(TICKS):
        first = turn * count % (size - count)
        came = readings(range(first, first + count), turn + 1)
        times.append(took(partial(leaf.advance, came, size + turn)))
    return 1000 * median(times)


def measured(name: str, leaf: Leaf[int], size: int) -> list[Result]:
    before = megabytes()
    loaded = took(partial(load, leaf, size))
    results = [
        Result(f"{name}: load", loaded, "s"),
        Result(f"{name}: a tick of 1,000 rows", tick(leaf, size, 1_000), "ms"),
        Result(f"{name}: a tick of 5 rows", tick(leaf, size, 5), "ms"),
        Result(f"{name}: packed for a snapshot", took(leaf.state), "s"),
    ]
    if isinstance(leaf, SpreadLeaf):
        leaf.forget()
        results.append(Result(f"{name}: all shares made anew", took(partial(leaf.advance, [], size)), "s"))
        assert len(leaf) == size
        results.append(Result(f"{name}: read whole, share by share", took(partial(read, leaf)), "s"))
    return [*results, Result(f"{name}: driver's memory grown", megabytes() - before, "MB")]


def read(leaf: SpreadLeaf) -> int:
    return sum(map(len, leaf.portions()))


def of_many(make: Callable[[], SpreadLeaf]) -> list[Result]:
    """Measure a tick in which each of many tables replaces five rows."""
    leaves = [make() for _ in range(MANY)]
    for leaf in leaves:
        leaf.restore([])
        load(leaf, AT_ONCE)

    def alone(came: list[Reading], now: int) -> None:
        for leaf in leaves:
            leaf.advance(came, now)

    def at_once(came: list[Reading], now: int) -> None:
        found = abreast([(leaf, came) for leaf in leaves], now)
        for leaf in leaves:
            leaf.advance(came, now, found[leaf])

    times: dict[Callable[[list[Reading], int], None], list[float]] = {alone: [], at_once: []}
    for turn in range(2 * TICKS):
        for way, each in times.items():
            each.append(took(partial(way, readings(range(5), turn), AT_ONCE + turn)))
    for leaf in leaves:
        leaf.end()
    one, all_ = (1000 * median(each) for each in times.values())
    case = f"{MANY} tables, a tick of 5 rows each"
    return [
        Result(f"{case}: one after the other", one, "ms"),
        Result(f"{case}: together", all_, "ms"),
        Result(f"{case}: together over alone", all_ / one, "times", floor=TOGETHER, ratio=all_ / one),
    ]


def main() -> int:
    results: list[Result] = []
    sizes: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = SparkSettings(Path(folder), partitions=PARTITIONS)
        try:
            open_spark(settings)

            def make() -> SpreadLeaf:
                return spread_leaf(
                    PLAN, Budget(), lambda: SparkCarrier(partial(open_spark, settings), PARTITIONS)
                )

            for size in SIZES:
                leaf = make()
                leaf.restore([])
                results += measured(f"{size:,} rows", leaf, size)
                sizes.append(megabytes())
                leaf.end()
            spread = results[-1].value
            together = of_many(make)
            results += measured(f"{SIZES[-1]:,} rows in the driver", leaf_of(PLAN), SIZES[-1])
        finally:
            close_spark()
    part, flat = max(spread, 0.0) / results[-1].value, sizes[-1] / sizes[0]
    case = f"driver's memory, {SIZES[-1]:,} over {SIZES[0]:,} rows"
    return report(
        "spread",
        [
            *results,
            Result("memory grown, in shares over in the driver", part, "times", floor=GROWS, ratio=part),
            Result(case, flat, "times", floor=FLAT, ratio=flat),
            *together,
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
