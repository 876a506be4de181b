"""A random past of a view: ticks that change its rows, flushed, sealed and reopened anywhere."""

import random
from pathlib import Path
from typing import NamedTuple

from app.history.recorded import Mark, Recorded
from app.history.store import Head, Store
from engine.model.durations import UNITS
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.views.history import Gap, Retention, Shape

SECOND = UNITS["SECOND"]
COLUMNS = (
    Column("room", Type.TEXT),
    Column("celsius", Type.DOUBLE),
    Column("open", Type.BOOLEAN),
    Column("task", Type.TEXT),
)
SHAPE = Shape(COLUMNS, (0,))
MARK = Mark("v", SHAPE, Retention(30 * UNITS["DAY"], UNITS["HOUR"], ("room",)))


class Tick(NamedTuple):
    at: int
    rows: tuple[Row, ...]


class Past:
    """What was recorded, and beside it what is true: the rows after every tick, and the gaps."""

    def __init__(self, url: str, seed: int, start: int = 1_700_000_000 * SECOND) -> None:
        self.random, self.url = random.Random(seed), url
        self.store = Store(url)
        self.began = self.at = start
        self.view: Recorded = self.store.open(MARK, start)
        self.ticks = [Tick(start, ())]
        self.gaps: list[Gap] = []
        self.offset = 0

    def run(self, ticks: int, step: int, rooms: str = "abcd") -> "Past":
        for _ in range(ticks):
            self.at += self.random.choice([0, 1, step, step, step, 20 * step])
            self._tick(rooms)
            match self.random.random():
                case chance if chance < 0.3:
                    self.flush()
                case chance if chance < 0.4:
                    self.flush()
                    self.store.seal(self.view, self.at)
                case chance if chance < 0.45:
                    self._crash()
                case chance if chance < 0.48:
                    self._interrupt(30 * step)
        self.flush()
        return self

    def _tick(self, rooms: str) -> None:
        rows = list(self.ticks[-1].rows)
        for room in self.random.sample(rooms, self.random.randint(0, 2)):
            rows = [row for row in rows if row[0] != room]
            for _ in range(self.random.choice([0, 1, 1, 1, 1, 2])):
                rows.append((room, self._celsius(), self.random.random() < 0.5, self.random.choice("xyz")))
        before = self.ticks[-1].rows
        self.view.take(self.at, [(row, -1) for row in before] + [(row, 1) for row in rows])
        self.ticks.append(Tick(self.at, tuple(rows)))

    def _celsius(self) -> float | None:
        return self.random.choice([None, float("inf"), round(self.random.uniform(-5, 30), 1), 21.5])

    def _interrupt(self, seconds: int) -> None:
        gap = Gap(self.at, self.at + seconds)
        self.at = gap.end
        self.gaps.append(gap)
        self.view.tell(gap)

    def flush(self) -> None:
        self.offset += 1
        self.store.flush([self.view], Head(self.offset, self.at))

    def _crash(self) -> None:
        """Forget what is in memory, and go on from what is written."""
        self.flush()
        self.store.close()
        self.store = Store(self.url)
        self.view = self.store.open(MARK, self.at)

    def rows_at(self, at: int) -> tuple[Row, ...]:
        return next(tick.rows for tick in reversed(self.ticks) if tick.at <= at)

    def close(self) -> None:
        self.store.close()


def past_in(folder: Path, seed: int) -> Past:
    return Past(f"sqlite:///{folder / f'past{seed}.db'}", seed)
