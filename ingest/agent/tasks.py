"""The tasks that took most of the processor since the last look: a bounded list, whatever runs.

    cpu of a task  =  100 × Δ(its processor seconds) / Δ(seconds)        100: one core of its own

A look reads one small file of each process (its times), and name and memory of the few that are told:
25 µs a process. A task that began since is counted from its begin; one whose number was taken over by
another cannot have used less than before, and is counted as new.
"""

from collections.abc import Iterator
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

import psutil

LONGEST_NAME = 60
LEAST = 0.05  # of a core's hundredth: what is rounded to nothing is not told


class Task(NamedTuple):
    """A process; ``memory`` in bytes."""

    name: str
    pid: int
    cpu: float
    memory: int


class Tasks:
    """Remembers what each process had used at the last look."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._used: dict[int, float] = {}

    def busiest(self, seconds: float) -> list[Task]:
        """Return the busiest of the ``seconds`` since the last look, the busiest first."""
        before, self._used = self._used, {}
        if not self._most:
            return []
        busy: list[tuple[float, psutil.Process]] = []
        for process, used in _times():
            self._used[process.pid] = used
            cpu = 100 * (used - min(before.get(process.pid, 0.0), used)) / seconds if before else 0.0
            if cpu >= LEAST:
                busy.append((cpu, process))
        found = (_task(process, cpu) for cpu, process in nlargest(self._most, busy, key=itemgetter(0)))
        return [task for task in found if task is not None]


def _times() -> Iterator[tuple[psutil.Process, float]]:
    for process in psutil.process_iter():
        try:
            times = process.cpu_times()
        except psutil.Error:  # it ended, or is not ours to see
            continue
        yield process, times.user + times.system


def _task(process: psutil.Process, cpu: float) -> Task | None:
    try:
        with process.oneshot():
            return Task(process.name()[:LONGEST_NAME], process.pid, round(cpu, 1), process.memory_info().rss)
    except psutil.Error:
        return None
