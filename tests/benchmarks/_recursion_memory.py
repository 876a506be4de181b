"""What recursive views keep in memory, each in a process of its own that prints JSON.

events   10,000 failures and recoveries at 100 nodes, both views
day      a simulated day of links seen, each for ten minutes: a window under the recursion
"""

import gc
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

import psutil

from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.logical import Scan
from engine.plan.windows import Range
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from tests.benchmarks._networks import TASKS, Kept, network, query
from tests.benchmarks._report import Result

MINUTE = 60_000_000
STEP = 10_000_000
DAY = 24 * 60 * MINUTE
EVENTS = 10_000
NODES = 100


def resident() -> float:
    """Return this process's resident megabytes."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 2**20


def entries(session: Session) -> int:
    """Count what the operators keep."""
    return sum(node.entries() for node in session._upkeep._dataflow._nodes.values())


def events() -> Iterator[dict[str, Any]]:
    """Let links fail and recover; yield the memory at every tenth of the way."""
    of = network(NODES)
    kept = Kept(of, TASKS)
    kept.send([(1, *link, cost) for link, cost in of.links.items()])
    for number, event in enumerate(islice(cycle(of.events), EVENTS), 1):
        kept.send(event)
        if number % (EVENTS // 10) == 0:
            yield {"megabytes": resident(), "entries": entries(kept.session)}


def day() -> Iterator[dict[str, Any]]:
    """Let links be seen at random, a new network every hour; yield the memory at every hour."""
    columns = ("source", "target", "cost")
    types = (Type.TEXT, Type.TEXT, Type.BIGINT)
    seen = Relation(
        "seen", RelationKind.STREAM, tuple(map(Column, columns, types)), window="RANGE 10 MINUTES"
    )
    session = Session(Catalog([seen]), FederatedOptimizer())
    for task in TASKS:
        session.install(task, query(task, Scan(seen, Range(10 * MINUTE)), columns))
    fragments = [each for each in session.fragments() if each.relation == "seen"]
    rng = random.Random(24)
    for tick, at in enumerate(range(STEP, DAY + STEP, STEP), 1):
        hour = at // (60 * MINUTE)
        rows = [
            (f"{hour}:{rng.randrange(60)}", f"{hour}:{rng.randrange(60)}", rng.randrange(1, 9))
            for _ in range(2)
        ]
        readings = [Reading("seen", 1, row, tick, n, at) for n, row in enumerate(rows)]
        session.advance(tick, at, dict.fromkeys(fragments, readings))
        if at % (60 * MINUTE) == 0:
            yield {"megabytes": resident(), "entries": entries(session)}


def measured(what: str) -> list[dict[str, Any]]:
    """Run one of them in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks._recursion_memory", what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def memory_results() -> list[Result]:
    at_events, at_hours = measured("events"), measured("day")
    return [
        Result(
            "10,000 events, 100 nodes, both views: resident", highest(at_events, "megabytes"), "MB", floor=150
        ),
        Result("10,000 events: grown after the first 1,000", grown(at_events, "megabytes"), "MB", floor=3),
        Result(
            "10,000 events: entries grown after the first 1,000", grown(at_events, "entries"), "rows", floor=0
        ),
        Result("a day with a window: resident", highest(at_hours, "megabytes"), "MB", floor=150),
        Result("a day with a window: grown after two hours", grown(at_hours[1:], "megabytes"), "MB", floor=5),
        Result(
            "a day with a window: most entries over those of two hours",
            highest(at_hours, "entries") / highest(at_hours[:2], "entries"),
            "ratio",
            floor=1.5,
        ),
    ]


def highest(samples: list[dict[str, Any]], what: str) -> float:
    return float(max(sample[what] for sample in samples))


def grown(samples: list[dict[str, Any]], what: str) -> float:
    return float(samples[-1][what] - samples[0][what])


if __name__ == "__main__":
    print(json.dumps(list({"events": events, "day": day}[sys.argv[1]]())))
