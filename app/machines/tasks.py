"""What each task of a machine took of its energy.

    kWh(task)  =  Σ over short stretches:  kWh of the machine  ×  cpu of the task / cpu of all its tasks

Shares change, and so does power: what a task took while little was drawn is not charged as if it had been
much. What a machine drew while no task was known is nobody's.

Reference:
    Liu. Incremental Processing and Optimization of Update Streams. 2016: the demonstration's second window,
    energy per task by its share of the resource.
"""

from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa

from app.history.ranges import Asked, Stretch, stretch
from engine.model.durations import UNITS
from engine.views.history import Piece

POWER, LOAD = "machine_power", "task_load"
MINUTE, HOUR, DAY = UNITS["MINUTE"], UNITS["HOUR"], UNITS["DAY"]
KWH = 3.6e12  # microseconds of a kilowatt hour at one watt
FINE = ((2 * HOUR, MINUTE), (2 * DAY, 10 * MINUTE), (400 * DAY, HOUR))


class Task(NamedTuple):
    """What a task took: energy, the hours it was there, and its share of what all tasks took."""

    task: str
    kwh: float
    hours: float
    share: float


class Taken(NamedTuple):
    """All of it; ``nobodys`` is what was drawn while no task was known."""

    kwh: float
    nobodys: float
    tasks: list[Task]


def taken(database: sa.Engine, machine: str, start: int, end: int) -> Taken:
    """Return what the tasks of a machine took in a stretch, the most first."""
    step = next(step for longest, step in FINE if end - start <= longest)
    end = -(-end // step) * step
    points = (end - start // step * step) // step + 1
    where = {"machine": machine}
    power = _areas(stretch(database, Asked(POWER, start, end, points, ("watts",), where)))
    loads = _areas(stretch(database, Asked(LOAD, start, end, points, ("cpu",), where)))
    drawn = {at: piece.stat.area / KWH for at, piece in next(iter(power.values()), {}).items()}
    return _shared(drawn, {str(key[-1]): pieces for key, pieces in loads.items()})


def _areas(found: Stretch) -> Mapping[tuple[object, ...], Mapping[int, Piece]]:
    return {line.key: {piece.start: piece for piece in line.columns[0]} for line in found.lines}


def _shared(drawn: Mapping[int, float], loads: Mapping[str, Mapping[int, Piece]]) -> Taken:
    kwh, nobodys = dict.fromkeys(loads, 0.0), 0.0
    for at, energy in drawn.items():
        areas = {task: pieces[at].stat.area for task, pieces in loads.items() if at in pieces}
        total = sum(areas.values())
        if not total:
            nobodys += energy
            continue
        for task, area in areas.items():
            kwh[task] += energy * area / total
    hours = {task: sum(piece.stat.span for piece in pieces.values()) / HOUR for task, pieces in loads.items()}
    whole = sum(kwh.values()) or 1.0
    tasks = [Task(task, kwh[task], hours[task], kwh[task] / whole) for task in loads if hours[task]]
    return Taken(sum(drawn.values()), nobodys, sorted(tasks, key=lambda task: (-task.kwh, task.task)))
