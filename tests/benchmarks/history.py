"""The past of 500 sensors over 30 days: any moment of it, and charts.

    floor: each read under 500 ms, the database under 4 GB

The peer answers the same from a plain changefeed with an index, over SMARTCIS_BENCH_PEER_DAYS (3) days only;
so a ratio beside it says how much faster the past is even then. SMARTCIS_BENCH_DAYS and …_SENSORS make all of
it smaller.
"""

import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from app.history.ranges import Asked, Stretch, stretch
from app.history.reading import state
from engine.views.history import HOUR, MINUTE
from tests.benchmarks._past import DAY, START, MeasuredPast, Peer
from tests.benchmarks._report import Result, report

DAYS = int(os.environ.get("SMARTCIS_BENCH_DAYS", "30"))
SENSORS = int(os.environ.get("SMARTCIS_BENCH_SENSORS", "500"))
PEER_DAYS = int(os.environ.get("SMARTCIS_BENCH_PEER_DAYS", "3"))
FLOOR = 500.0
TIMES = 9


def median(read: Callable[[], object], times: int = TIMES) -> float:
    """Return the milliseconds that a read takes."""
    taken = []
    for _ in range(times):
        began = perf_counter()
        read()
        taken.append((perf_counter() - began) * 1_000)
    return sorted(taken)[len(taken) // 2]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        past = MeasuredPast(Path(folder), DAYS, SENSORS)
        past.fill()
        size, turns = past.size(), past.turns
        print(f"{turns:,} turns, {size / 1e6:,.0f} MB")
        peer = Peer(past, min(PEER_DAYS, DAYS))
        results = [*states(past, peer), *charts(past, peer), *storage(past, size)]
        peer.close()
        past.close()
    return report("history", results)


def states(past: MeasuredPast, peer: Peer) -> list[Result]:
    chosen = random.Random(3)

    def seen(since: int) -> None:
        state(past.store.database, "measured", chosen.randrange(since, past.end))

    lately = past.end - DAY
    anywhere, ours = median(lambda: seen(START)), median(lambda: seen(lately))
    theirs = median(lambda: peer.state(chosen.randrange(lately, past.end)), 3)
    return [
        Result("all sensors at a random time", anywhere, "ms", floor=FLOOR),
        Result(
            "all sensors at a time of the last day", ours, "ms", floor=FLOOR, peer="SQL", ratio=theirs / ours
        ),
        Result("  the same in SQL over a plain changefeed", theirs, "ms"),
        Result("  times as fast", theirs / ours, "times", better="higher", floor=10),
    ]


def charts(past: MeasuredPast, peer: Peer) -> list[Result]:
    def chart(start: int, points: int, **where: str) -> Stretch:
        return stretch(past.store.database, Asked("measured", start, past.end, points, (), where))

    day, slow, fast = past.end - DAY, {"sensor": "s001"}, {"sensor": "s000"}
    assert sum(p.stat.samples for p in chart(day, 2_000, **fast).lines[0].columns[0]) == 86_400
    a_day = median(lambda: chart(day, 2_000, **fast))
    an_hour = median(lambda: chart(past.end - HOUR, 1_000, **fast))
    all_days = median(lambda: chart(START, 2_000, **slow))
    in_detail = median(lambda: chart(START, 10_000, **slow))
    sql = median(lambda: peer.stretch(1, day, past.end, MINUTE), 3)
    return [
        Result(
            "one sensor, 24 h at 1 Hz, 2,000 points", a_day, "ms", floor=FLOOR, peer="SQL", ratio=sql / a_day
        ),
        Result("  the same in SQL over a plain changefeed", sql, "ms"),
        Result("one sensor, 1 h at 1 Hz, 1,000 points", an_hour, "ms", floor=FLOOR),
        Result(f"one sensor, {DAYS} days, 2,000 points", all_days, "ms", floor=FLOOR),
        Result(f"one sensor, {DAYS} days, 10,000 points", in_detail, "ms", floor=FLOOR),
        Result("all sensors, 24 h, 200 points", median(lambda: chart(day, 200), 3), "ms"),
    ]


def storage(past: MeasuredPast, size: int) -> list[Result]:
    turns, seconds = past.written()
    slices: list[float] = []
    went = 1
    while went:
        began = perf_counter()
        went = past.store.trim(past.view.id, START + DAY, START + DAY)
        slices.append((perf_counter() - began) * 1_000)
    return [
        Result("the database", size / 1e9, "GB", floor=4.0),
        Result("bytes a turn", size / past.turns, "B"),
        Result("recorded as a server does", turns / seconds, "turns/s", better="higher", floor=3_000),
        Result(f"a day trimmed in {len(slices)} slices, the longest", max(slices), "ms"),
    ]


if __name__ == "__main__":
    sys.exit(main())
