"""Twenty people ask of the demo building at once, a hundred, and one more who asks what is asked already.

    floor: 95 of 100 ticks within 250 ms, with 20 queries of mixed kinds and 500 messages a second;
           one more of a known shape adds less than 5 % to the operators' computing

The building is whole, its devices speak, and a load of RATE besides; each query is followed over HTTP as the
console does.

What one of them costs is less than this machine's noise, so it is measured apart: the log of that run is fed
to four sessions in this process in turn, tick by tick, with none, with the twenty, with each of them twice,
and with the twenty and as many of the same shapes with other constants. SMARTCIS_BENCH_SECONDS is how long
a phase lasts.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from engine.lang.streamsql import parse_script
from engine.model.clock import SECOND
from engine.model.reading import Reading
from engine.session import Session
from tests.benchmarks._console_queries import KINDS, texts
from tests.benchmarks._report import Result, quantile, report
from tests.environment.product import Demo, demo
from tests.environment.recompute import beginning, feed, portions, read_all

SECONDS = float(os.environ.get("SMARTCIS_BENCH_SECONDS", "60"))
RATE, DEVICES = "500", "500"
FEW, MANY = len(KINDS), 100
BOUND = 250.0
TICK = SECOND * 3 // 10
TICKS = 200
SETTLE = 5.0


class Follower:
    """Reads what a query answers, on a thread of its own, until the product lets go."""

    def __init__(self, running: Demo, text: str) -> None:
        self._answer = running.open("/api/query", {"sql": text})
        self.lines, self.problem = 0, ""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError, AttributeError, HTTPException):
            for line in self._answer:
                self._take(json.loads(line)) if line.strip() else None

    def _take(self, said: dict[str, Any]) -> None:
        self.lines += 1
        self.problem = str(said.get("error", self.problem))


class Phase(NamedTuple):
    """The milliseconds of each tick of some seconds."""

    took: list[float]

    @property
    def mean(self) -> float:
        return sum(self.took) / len(self.took)


def measured(running: Demo) -> Phase:
    """Look at the ticks of a phase."""
    threading.Event().wait(SETTLE)
    before = running.get("/api/ticks")["ticks"][-1]["tick"]
    threading.Event().wait(SECONDS)
    found = [tick for tick in running.get("/api/ticks")["ticks"] if tick["tick"] > before]
    return Phase([(tick["closed"] - tick["began"]) * 1000 / SECOND for tick in found])


@contextmanager
def loaded(running: Demo, seconds: float) -> Iterator[None]:
    """Publish RATE messages a second meanwhile."""
    arguments = ["--part", "load", "--mqtt", running.mqtt_url, "--rate", RATE, "--devices", DEVICES]
    command = [sys.executable, "-m", "ingest.building.simulate", *arguments, "--seconds", str(seconds)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def in_product(running: Demo) -> list[Result]:
    """Return what ticks take with no query, with twenty, with a hundred."""
    with loaded(running, 10 * (SECONDS + 60)):
        none = measured(running)
        followers = [Follower(running, text) for text in texts(FEW)]
        few = measured(running)
        followers += [Follower(running, text) for text in texts(MANY)[FEW:]]
        many = measured(running)
    stopped = [one.problem for one in followers if one.problem or not one.lines]
    for problem in stopped:
        print(f"  stopped: {problem or 'nothing was answered'}")
    return [
        Result("a tick without queries, p95", quantile(none.took, 0.95), "ms"),
        Result(f"a tick with {FEW} queries, p95", quantile(few.took, 0.95), "ms", floor=BOUND),
        Result(f"a tick with {MANY} queries, p95", quantile(many.took, 0.95), "ms"),
        Result(f"a query's share among {MANY}", (many.mean - none.mean) / MANY, "ms"),
        Result("queries that were stopped", len(stopped), "", floor=0),
    ]


def one_more(state: Path) -> list[Result]:
    """Return what one more query adds to the operators' computing, as a share."""
    both = texts(2 * FEW)
    sessions = [asking(state, each) for each in ([], both[:FEW], both[:FEW] * 2, both)]
    first, *ticks = cut(state)
    for session in sessions:
        feed(session, *first)
    took = [0.0] * len(sessions)
    for number, (readings, end, at) in enumerate(ticks):
        for turn in range(len(sessions)):
            which = (number + turn) % len(sessions)
            pieces = portions(sessions[which], readings)
            begun = process_time()
            sessions[which].advance(end, at, pieces)
            took[which] += process_time() - begun
    none, few, doubled, varied = took
    share = (few - none) / FEW
    known, other = ((more / few - 1) / FEW for more in (doubled, varied))
    return [
        Result(f"computing of a tick with {FEW}", few * 1000 / len(ticks), "ms"),
        Result("of these a query's share", share * 1000 / len(ticks), "ms", ratio=share / few),
        Result("one more of a known shape adds", known * 100, "%", floor=5.0, ratio=1 + known),
        Result("one more with another constant adds", other * 100, "%", ratio=1 + other),
    ]


def asking(state: Path, asked: list[str]) -> Session:
    """Return a session with the building's views and these queries, that has read nothing."""
    session, _ = beginning(*urls(state), state)
    for number, text in enumerate(asked):
        (statement,) = parse_script(f"CREATE VIEW asked_{number} AS {text}")
        session.replace(statement)
    return session


def cut(state: Path) -> list[tuple[list[Reading], int, int]]:
    """Return the log's readings as ticks, of which the first has all but the last TICKS."""
    _, reader = beginning(*urls(state), state)
    readings, _, at = read_all(reader, 0, None)
    first = at - TICKS * TICK
    found: dict[int, list[Reading]] = {}
    for reading in readings:
        found.setdefault(max(0, (reading.at - first) // TICK), []).append(reading)
    return [(rows, rows[-1].offset, first + (n + 1) * TICK) for n, rows in sorted(found.items())]


def urls(state: Path) -> tuple[str, str]:
    return f"sqlite:///{state / 'log.db'}", f"sqlite:///{state / 'facts.db'}"


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        state = Path(name)
        with demo(state) as running:
            results = in_product(running)
        results += one_more(state)
    return report("console", results)


if __name__ == "__main__":
    sys.exit(main())
