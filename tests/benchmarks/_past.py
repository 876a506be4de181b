"""A past to measure: sensors that say a value a minute for days, one of them each second of the last day.

The days are packed by the same code that seals a segment when a server runs; what comes before it, an hour's
worth of ticks through book, flush and seal, is measured apart (``written``). Beside it the peer: the same
turns as rows of a table with an index by sensor and time, asked in SQL.
"""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from app.history.recorded import Mark, Recorded
from app.history.store import Head, Store
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.views.history import HOUR, MINUTE, Retention, Shape, Turn
from engine.views.history.book import Bag

SECOND, DAY = MINUTE // 60, 24 * HOUR
START = 1_700_000_000 * SECOND // DAY * DAY
SHAPE = Shape((Column("sensor", Type.TEXT), Column("value", Type.DOUBLE)), (0,))
MARK = Mark("measured", SHAPE, Retention(31 * DAY, HOUR, ("sensor",)))
VALUES: tuple[Bag, ...] = tuple(((round(15 + n / 10, 1),),) for n in range(120))


class MeasuredPast:
    """``days`` of ``sensors``; the first sensor speaks each second of the last day."""

    def __init__(self, folder: Path, days: int, sensors: int) -> None:
        self.file, self.days, self.sensors = folder / "history.db", days, sensors
        self.end = START + days * DAY
        self.store = Store(f"sqlite:///{self.file}")
        self.view: Recorded = self.store.open(MARK, START)
        self.turns = 0
        self._random = random.Random(7)
        for n in range(sensors):
            self.view.book.series[(f"s{n:03}",)] = n + 1
            self.view.book.fresh.append((n + 1, (f"s{n:03}",)))

    def fill(self) -> None:
        """Seal hour after hour."""
        for hour in range(START, self.end, HOUR):
            self.view.pending = list(self.hour(hour))
            self.view.book.standing.update((turn.series, turn.bag) for turn in self.view.pending)
            self.turns += len(self.view.pending)
            self.view.flushed()  # what a flush writes, the seal would remove at once
            self.store.seal(self.view, hour + HOUR)
        self.view.book.fresh = [(number, key) for key, number in self.view.book.series.items()]
        self.store.flush([self.view], Head(self.turns, self.end))

    def hour(self, begins: int) -> Iterator[Turn]:
        """Yield the turns of an hour, in order."""
        chosen = self._random.choices(VALUES, k=60 * self.sensors)
        fast = begins >= self.end - DAY
        for minute in range(60):
            at = begins + minute * MINUTE
            for n in range(1 if fast else 0, self.sensors):
                yield Turn(at + n * 10_000, n + 1, chosen[minute * self.sensors + n])
            if fast:
                values = self._random.choices(VALUES, k=60)
                yield from (Turn(at + second * SECOND, 1, values[second]) for second in range(60))

    def written(self) -> tuple[int, float]:
        """Record one more hour as a server does, tick by tick; return its turns, and the seconds it took."""
        began, turns = perf_counter(), 0
        standing = self.view.book.standing
        before: list[Row] = [(f"s{n:03}", *standing[n + 1][0]) for n in range(self.sensors)]
        rows = [self._row(n) for n in range(self.sensors)]
        for minute in range(60):
            at = self.end + minute * MINUTE
            self.view.take(at, [(row, -1) for row in before] + [(row, 1) for row in rows])
            turns += len(self.view.pending)
            self.store.flush([self.view], Head(self.turns + minute + 1, at))
            before, rows = rows, [self._row(n) for n in range(self.sensors)]
        self.store.seal(self.view, self.end + HOUR)
        return turns, perf_counter() - began

    def _row(self, sensor: int) -> Row:
        return f"s{sensor:03}", *self._random.choice(VALUES)[0]

    def size(self) -> int:
        """Return the bytes on disk."""
        return sum(file.stat().st_size for file in self.file.parent.glob("history.db*"))

    def close(self) -> None:
        self.store.close()


class Peer:
    """The same turns as rows, an index by sensor and time, and SQL."""

    def __init__(self, past: MeasuredPast, days: int) -> None:
        self.database = sqlite3.connect(past.file.parent / "peer.db")
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("CREATE TABLE changefeed (sensor INTEGER, at INTEGER, value REAL)")
        with self.database:
            for hour in range(past.end - days * DAY, past.end, HOUR):
                rows = ((turn.series, turn.at, turn.bag[0][0]) for turn in past.hour(hour))
                self.database.executemany("INSERT INTO changefeed VALUES (?, ?, ?)", rows)
        self.database.execute("CREATE INDEX by_sensor ON changefeed (sensor, at)")

    def state(self, at: int) -> None:
        self.database.execute(
            "SELECT sensor, value, max(at) FROM changefeed WHERE at <= ? GROUP BY sensor", (at,)
        ).fetchall()

    def stretch(self, sensor: int, start: int, end: int, width: int) -> None:
        self.database.execute(
            "SELECT at / ?, count(*), min(value), avg(value), max(value) FROM changefeed"
            " WHERE sensor = ? AND at >= ? AND at < ? GROUP BY 1",
            (width, sensor, start, end),
        ).fetchall()

    def close(self) -> None:
        self.database.close()
