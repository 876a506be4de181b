"""A real store with a past of the map's views: a test says what was when."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from app.history.past import Past
from app.history.recorded import Mark, Recorded
from app.history.store import Head, Store
from engine.model.durations import UNITS
from engine.model.relation import Column
from engine.model.values import Row
from engine.views.history import Gap, Retention, Shape
from tests.memory_engine import MAP_SHAPES

RETENTION = Retention(30 * UNITS["DAY"], UNITS["HOUR"], ())


class RecordedMap:
    """Views of the map as they are recorded from ``start`` on; each is found by its first column."""

    def __init__(self, folder: Path, start: int, *views: str) -> None:
        self.store = Store(f"sqlite:///{folder / 'past.db'}")
        self.views: dict[str, Recorded] = {view: self._open(view, start) for view in views}
        self.rows: dict[str, Counter[Row]] = {view: Counter() for view in views}
        self.offset, self.at = 0, start

    def _open(self, view: str, start: int) -> Recorded:
        columns = tuple(Column(name, kind) for name, kind in MAP_SHAPES[view].items())
        return self.store.open(Mark(view, Shape(columns, (0,)), RETENTION), start)

    def say(self, at: int, **views: Iterable[Row]) -> None:
        """Record that from a moment on the views had these rows."""
        self.at = at
        for view, rows in views.items():
            wanted, held = Counter(rows), self.rows[view]
            changes = [(row, wanted[row] - held[row]) for row in {*wanted, *held} if wanted[row] != held[row]]
            self.views[view].take(at, changes)
            self.rows[view] = wanted

    def miss(self, until: int) -> None:
        """Record nothing from the last moment until another."""
        for view in self.views.values():
            view.tell(Gap(self.at, until))
        self.at = until

    def past(self) -> Past:
        """Write what was said, and return it as the web side has it."""
        self.offset += 1
        self.store.flush(list(self.views.values()), Head(self.offset, self.at))
        return Past(self.store.database, lambda: "ok")

    def close(self) -> None:
        self.store.close()
