"""What a flood in phases does to views: latency of every message, memory, what is lost and what was left out.

latency = the tick with its entry closed − the message was sent            (one machine, one clock)
"""

import json
import subprocess
import sys
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from ingest.log import Log
from tests.benchmarks._report import quantile
from tests.environment.product import Demo, cpu_seconds, memory_bytes, name_of, wall
from tests.environment.waiting import until

POLL = 10.0
CALM = 10  # seconds
FIELDS = {"seat": "seats", "energy": "energy", "temperature": "temperatures"}


class Sent(NamedTuple):
    """A message of the flood that is in the log: when it was sent, and how long until views had it."""

    at: float
    latency: float
    stream: str


class Course:
    """What was seen while the flood went on: ticks, memory, processor."""

    def __init__(self, running: Demo) -> None:
        self._running = running
        self.closed: dict[int, float] = {}
        self.memory: list[tuple[float, int]] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._query = threading.Thread(target=self._read_on, daemon=True)

    def __enter__(self) -> "Course":
        self._query.start()
        self._thread.start()
        self._used, self._began = cpu_seconds(self._running.processes()), wall()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()
        took, after = wall() - self._began, cpu_seconds(self._running.processes())
        for process in self._running.processes():
            share = (after.get(process.pid, 0) - self._used.get(process.pid, 0)) / took
            print(f"  {name_of(process):<40} {share:.2f} cores")

    def _watch(self) -> None:
        while not self._ending.wait(POLL):
            self.look()
            self.memory.append((wall(), memory_bytes(self._running.processes())))

    def look(self) -> None:
        """Take note of the ticks that closed."""
        for tick in self._running.get("/api/ticks")["ticks"]:
            self.closed[tick["offset"]] = tick["closed"] / 1e6

    def _read_on(self) -> None:
        """Watch a view, as a page does."""
        with self._running.open("/api/query", {"sql": "SELECT * FROM free_desks"}) as answer:
            for _ in answer:
                if self._ending.is_set():
                    return


def flood(running: Demo, phases: str) -> dict[str, Any]:
    """Publish in a process of its own; return what it says of each phase."""
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks._flood",
        "--mqtt",
        running.mqtt_url,
        "--phases",
        phases,
    ]
    process = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True)
    found: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return found


def logged(log: Log, start: int, closed: dict[int, float]) -> Iterator[Sent]:
    """Yield the messages of the flood in the log after an offset, each once."""
    offsets, seen = sorted(closed), set()
    while records := log.read(start, 20_000, 1 << 30):
        start = records[-1].offset
        for record in records:
            if record.source != "mqtt" or b'"sent"' not in record.payload:
                continue
            body = json.loads(record.payload)
            if body["seq"] in seen:
                message = f"message {body['seq']} is in the log twice"
                raise AssertionError(message)
            seen.add(body["seq"])
            at = body["sent"] / 1e6
            tick = offsets[bisect_left(offsets, record.offset)]
            yield Sent(at, closed[tick] - at, _stream(record.topic))


def _stream(topic: str) -> str:
    levels = topic.split("/")
    return FIELDS.get(levels[1], levels[1]) if levels[0] == "building" else "measurements"


def p99_by_second(sent: list[Sent], since: float) -> dict[int, float]:
    """Return the 99th percentile of each second's messages, in milliseconds."""
    seconds: dict[int, list[float]] = defaultdict(list)
    for one in sent:
        seconds[int(one.at - since)].append(one.latency * 1000)
    return {second: quantile(found, 0.99) for second, found in sorted(seconds.items())}


def until_calm(sent: list[Sent], since: float, bound: float) -> float:
    """Return after how many seconds ten began of whose messages 99 in 100 were within the bound."""
    after = sorted((one.at - since, one.latency * 1000) for one in sent if one.at >= since)
    seconds = 0
    while stretch := [latency for at, latency in after if seconds <= at < seconds + CALM]:
        if quantile(stretch, 0.99) <= bound:
            break
        seconds += 1
    return float(seconds)


def shed(running: Demo) -> Counter[str]:
    """Return how many messages of each stream were left out, as people are told."""
    return Counter(
        {each["stream"]: each["messages"] for each in running.get("/api/losses") if each["cause"] == "shed"}
    )


def settled(running: Demo, log: Log, course: Course) -> None:
    """Return once views have all that is in the log, and the acquisition has told what it counted."""
    end = log.last().offset
    until(lambda: running.get("/api/ticks")["ticks"][-1]["offset"] >= end, 120, "the views to catch up")
    threading.Event().wait(2.5)
    course.look()
