"""Time per tick for 1, 20 and 100 views, through Spark and the operators.

    floor: 20 views cost at most 3 times one

Each number is the median over ticks of one feed that reads a log of seat and light readings; the three
counts run one after the other in one process, each on a Spark of its own, after a run that warms the machine.
"""

import sys
import tempfile
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.model.catalog import Catalog
from engine.model.clock import SystemClock
from engine.session import Session
from engine.spark import SparkFeed, SparkSettings
from federated.optimizer import FederatedOptimizer
from ingest.log import Entry, Log
from ingest.reader import LogReader
from ingest.sources import parse_sources
from tests.benchmarks._report import Result, quantile, report

COUNTS = (1, 20, 100)
TICKS = 40
ROWS_PER_TICK = 200
SOURCES = """
mqtt:
  lights:
    topic: light/{room}
    columns: {room: text, lux: double}
    key: [room]
    window: PARTITION BY room ROWS 1
  seats:
    topic: seat/{desk}
    columns: {desk: text, pressed: boolean}
    key: [desk]
    window: PARTITION BY desk ROWS 1
"""
SHAPES = (
    "CREATE VIEW v{n} AS SELECT room, lux FROM lights l WHERE lux < {n}.0",
    "CREATE VIEW v{n} AS SELECT room, count(*) AS n, avg(lux) AS lux FROM lights [RANGE 5 SECONDS] l "
    "WHERE lux > {n}.0 GROUP BY room",
    "CREATE VIEW v{n} AS SELECT s.desk, l.lux FROM seats s, lights l WHERE s.desk = l.room AND l.lux > {n}.5",
    "CREATE VIEW v{n} AS SELECT pressed, count(*) AS n FROM seats [RANGE {n} SECONDS] s GROUP BY pressed",
)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder) / "warm", 1)
        times = {n: quantile(run(Path(folder) / str(n), n), 0.5) * 1000 for n in COUNTS}
    base = times[1]
    results = [Result(f"{count} views, per tick", time, "ms") for count, time in times.items()]
    results.append(Result("20 views over 1", times[20] / base, "ratio", floor=3, ratio=times[20] / base))
    results.append(Result("100 views over 1", times[100] / base, "ratio", ratio=times[100] / base))
    return report("views", results)


def run(folder: Path, count: int) -> list[float]:
    """Return the seconds between the closes of successive ticks, the first dozen left out."""
    folder.mkdir()
    url = f"sqlite:///{folder / 'log.db'}"
    log, clock = Log(url), SystemClock()
    fill(log)
    sources = parse_sources(SOURCES, {})
    relations = sources.relations()
    session = Session(Catalog(relations), FederatedOptimizer())
    for n in range(1, count + 1):
        session.create_view(SHAPES[n % len(SHAPES)].format(n=n))
    closed: list[int] = []
    done = threading.Event()

    def on_tick(tick: Any) -> None:
        session.advance(*tick)
        closed.append(clock.now())
        if len(closed) >= TICKS:
            done.set()

    reader = LogReader(url, sources, (), max_rows=ROWS_PER_TICK)
    feed = SparkFeed(SparkSettings(folder), reader, relations, session.fragments, on_tick)
    feed.start(0)
    done.wait(120)
    feed.stop()
    log.close()
    return [(later - earlier) / 1e6 for earlier, later in pairwise(closed[12:])]


def fill(log: Log) -> None:
    for turn in range(TICKS + 5):
        numbers = range(ROWS_PER_TICK // 2)
        lights = [
            Entry("mqtt", f"light/{n}", b'{"lux": %d.5}' % ((n * 7 + turn * 13) % 300)) for n in numbers
        ]
        pressed = (b'{"pressed": true}', b'{"pressed": false}')
        seats = [Entry("mqtt", f"seat/{n}", pressed[(n + turn) % 2]) for n in numbers]
        log.append([*lights, *seats])


if __name__ == "__main__":
    sys.exit(main())
