"""What it costs that SmartCIS says of itself which queries run: seconds of the engine thread.

    a look   a copy of what is so and of what the tables hold, between two ticks
    ratio    (a look + the tick that takes its rows in)  /  the ticks between two looks

100 queries, ticks of 200 rows, a look in every 20 of them, as in five seconds of an unwatched building. The
difference and its JSON are made on another thread, and decoding is Spark's.
"""

import sys
import time
from typing import NamedTuple

from app.itself import changes_of
from engine.model.catalog import Catalog
from engine.model.clock import SECOND
from engine.session import Session
from ingest.sources import parse_sources
from tests.benchmarks._report import Result, quantile, report
from tests.benchmarks.views import ROWS_PER_TICK, SHAPES, SOURCES
from tests.memory_log import Change, Entry, MemoryLog

QUERIES, TICKS, TICKS_A_LOOK = 100, 100, 20
PERIOD = SECOND // 4
HALF = ROWS_PER_TICK // 2


class Times(NamedTuple):
    """Seconds of each: ticks, looks, and the ticks that take in what a look led to."""

    ticks: list[float]
    looks: list[float]
    taking: list[float]


def main() -> int:
    found = run()
    tick = quantile(found.ticks, 0.5)
    looks, taking = (quantile(seconds, 0.5) / tick for seconds in (found.looks, found.taking))
    each = (looks + taking) / TICKS_A_LOOK
    results = [
        Result("a tick", tick * 1000, "ms"),
        Result("a look, over a tick", looks, "ratio", ratio=looks),
        Result("the tick of its rows, over a tick", taking, "ratio", ratio=taking),
        Result("all of it, over all ticks", each, "ratio", floor=0.1, aim=0.02, ratio=each),
    ]
    return report("itself", results)


def run() -> Times:
    """Return what a building of many queries takes, after the ticks that fill its windows."""
    log, times = MemoryLog(), Times([], [], [])
    session = log.session(Catalog(parse_sources(SOURCES, {}).relations()))
    for n in range(1, QUERIES + 1):
        session.create_view(SHAPES[n % len(SHAPES)].format(n=n))
    for tick in range(TICKS):
        log.append(Entry(PERIOD, readings(tick)))
        times.ticks.append(taken(log, session))
        if not tick % TICKS_A_LOOK:
            began = time.perf_counter()
            told, known = session.itself.told((tick + 1) * PERIOD), session.itself.known()
            times.looks.append(time.perf_counter() - began)
            said = [Change(table, sign, tuple(row.values())) for sign, table, row in changes_of(known, told)]
            log.append(Entry(0, said))
            times.taking.append(taken(log, session))
        log.readings.clear()
    return times


def readings(tick: int) -> list[Change]:
    lights = [Change("lights", 1, (f"r{(tick * 7 + n) % 300}", float((tick + n) % 400))) for n in range(HALF)]
    seats = [Change("seats", 1, (f"r{(tick * 5 + n) % 300}", (tick + n) % 3 == 0)) for n in range(HALF)]
    return lights + seats


def taken(log: MemoryLog, session: Session) -> float:
    """Return the seconds of a tick that reads all there is, what a site does left out."""
    start, end = session.stamp.offset, log.end
    pieces = {fragment: log.piece(fragment, start, end) for fragment in session.fragments()}
    began = time.perf_counter()
    session.advance(end, log.stamps[end], pieces)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
