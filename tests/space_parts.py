"""The past of a building's use, without the building: what rooms, floors, seats, lamps and meters said.

The turns are kept beside it, so that a test can compute anew, second by second, what the pages say.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from app.history.recorded import Mark, Recorded
from app.history.store import Head, Store
from engine.model.durations import UNITS
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.views.history import HOUR, Retention, Shape, Turn

MINUTE, DAY = UNITS["MINUTE"], UNITS["DAY"]
START = 1_700_000_000_000_000 // DAY * DAY
BIGINT, DOUBLE, TEXT, BOOLEAN = Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.BOOLEAN
USED = {"taken": BIGINT, "used": BOOLEAN, "reserved": BOOLEAN, "idle": BOOLEAN}
COUNTED = dict.fromkeys(USED, BIGINT)
SHAPES: dict[str, tuple[dict[str, Type], int]] = {
    "room_use": ({"room": TEXT, "floor": BIGINT, **USED}, 2),
    "floor_use": ({"floor": BIGINT, **COUNTED}, 1),
    "building_use": ({"place": TEXT, **COUNTED}, 1),
    "room_power": ({"room": TEXT, "watts": DOUBLE}, 1),
    "machine_power": ({"machine": TEXT, "watts": DOUBLE}, 1),
    "desk_states": ({"desk": TEXT, "pressed": BOOLEAN}, 1),
    "lamp_states": ({"room": TEXT, "lit": BOOLEAN}, 1),
    "machine_load": ({"machine": TEXT, "cpu": DOUBLE}, 1),
    "room_temperature": ({"room": TEXT, "celsius": DOUBLE}, 1),
    "task_load": ({"machine": TEXT, "task": TEXT, "cpu": DOUBLE}, 2),
}


class Said(NamedTuple):
    """From ``at`` on a key has this value; None is no row."""

    at: int
    key: Row
    rest: Row | None


class UsedBuilding:
    """Views that were recorded since ``start``, hour by hour as a server does."""

    def __init__(self, folder: Path, start: int = START) -> None:
        self.store = Store(f"sqlite:///{folder / 'history.db'}")
        self.start = self.end = start
        self.said: dict[str, list[Said]] = {}

    def record(self, view: str, said: list[Said], end: int) -> None:
        """Write down what was said of a view, in the order of time, up to ``end``."""
        shape, keys = SHAPES[view]
        columns = tuple(Column(name, kind) for name, kind in shape.items())
        names = tuple(column.name for column in columns[:keys])
        retention = Retention(400 * DAY, HOUR, names)
        recorded = self.store.open(Mark(view, Shape(columns, tuple(range(keys))), retention), self.start)
        for key in dict.fromkeys(each.key for each in said):
            recorded.book.series[key] = len(recorded.book.series) + 1
            recorded.book.fresh.append((recorded.book.series[key], key))
        self.said[view], waiting = said, iter(said)
        held = next(waiting, None)
        for hour in range(self.start, end, HOUR):
            turns = []
            while held is not None and held.at < hour + HOUR:
                turns.append(
                    Turn(held.at, recorded.book.series[held.key], () if held.rest is None else (held.rest,))
                )
                held = next(waiting, None)
            self._seal(recorded, turns, min(hour + HOUR, end))
        recorded.book.fresh = [(number, key) for key, number in recorded.book.series.items()]
        self.end = max(self.end, end)
        self.store.flush([recorded], Head(1, self.end))

    def _seal(self, recorded: Recorded, turns: list[Turn], end: int) -> None:
        recorded.pending = turns
        for turn in turns:
            recorded.book.standing[turn.series] = turn.bag
        recorded.flushed()  # what a flush writes, the seal would remove at once
        self.store.seal(recorded, end)

    def stays(self, view: str, key: Row, start: int, end: int) -> Iterator[tuple[int, int, Row]]:
        """Yield from when until when a key had which value, within a stretch."""
        mine = [each for each in self.said[view] if each.key == key]
        ends = [each.at for each in mine[1:]] + [self.end]
        for each, until in zip(mine, ends, strict=True):
            begins, stops = max(each.at, start), min(until, end)
            if each.rest is not None and begins < stops:
                yield begins, stops, each.rest

    def close(self) -> None:
        self.store.close()


def random_turns(
    seed: int, keys: list[Row], end: int, an_hour: float, value: Callable[[random.Random, Row], Row | None]
) -> list[Said]:
    """Return turns of all keys at random moments, each key beginning within the first hour."""
    chosen = random.Random(seed)
    said = [Said(START + chosen.randrange(HOUR), key, value(chosen, key)) for key in keys]
    for hour in range(START + HOUR, end, HOUR):
        for key in keys:
            turns = int(an_hour) + (chosen.random() < an_hour % 1)
            said += [Said(hour + chosen.randrange(HOUR), key, value(chosen, key)) for _ in range(turns)]
    return sorted((each for each in said if each.at < end), key=lambda each: each.at)
