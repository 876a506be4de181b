"""What tests of recording share: an engine over a table of lights whose ticks a test closes, recorded."""

from collections.abc import Iterable
from pathlib import Path

from app.history.inbox import RecorderInbox
from app.history.ranges import Asked, Stretch, stretch
from app.history.reading import State, state
from app.history.recorder import Recorder
from app.history.store import Store
from engine.model.catalog import Catalog
from engine.model.durations import UNITS
from engine.model.reading import Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.service import Engine
from engine.session import Session
from engine.views.checkpoint import Image
from federated.optimizer import FederatedOptimizer

SECOND = UNITS["SECOND"]
START = 1_700_000_000 * SECOND
LIGHTS = Relation(
    "lights", RelationKind.TABLE, (Column("room", Type.TEXT), Column("lux", Type.DOUBLE)), ("room",)
)
BRIGHT = "CREATE VIEW bright WITH (history = '30 days') AS SELECT room, lux FROM lights WHERE lux > 50"

Said = tuple[str, float]


class House:
    """A server without pages: its log is a list of what was said, one a second."""

    def __init__(self, folder: Path, log: list[Said], image: Image | None = None, **inbox: int) -> None:
        self.log = log
        session = Session(Catalog([LIGHTS]), FederatedOptimizer())
        if image is not None:
            session.restore(image, lambda problem: None)
            session.restored(lambda problem: None)
        self.engine = Engine(session)
        self.store = Store(f"sqlite:///{folder / 'history.db'}", len(log))
        self.recorder = Recorder(self.engine, self.store, inbox=RecorderInbox(**inbox))
        self.recorder.start()

    @property
    def offset(self) -> int:
        return self.engine.stamp().offset

    def create(self, sql: str) -> None:
        self.engine.create_view(sql)
        self.recorder.sync()

    def tick(self, entries: int, pause: int = 0) -> None:
        """Read so many entries of the log as one tick."""
        end = min(self.offset + entries, len(self.log))
        readings = [self._reading(offset) for offset in range(self.offset + 1, end + 1)]
        found = {fragment: readings for fragment in self.engine.fragments()}
        self.engine.advance(end, START + end * SECOND + pause, found)

    def _reading(self, offset: int) -> Reading:
        """Return what the log says; a light of less than nothing is one that goes."""
        room, lux = self.log[offset - 1]
        before = dict(self.log[: offset - 1])
        sign, row = (1, (room, lux)) if lux >= 0 else (-1, (room, before[room]))
        return Reading("lights", sign, row, offset, 0, START + offset * SECOND)

    def settle(self) -> None:
        assert self.recorder.settle(self.offset, 10)

    def look(self, at: int) -> State:
        return state(self.store.database, "bright", at)

    def state(self, at: int, view: str = "bright") -> list[Row]:
        return sorted(state(self.store.database, view, at).rows)

    def stretch(self, asked: Asked) -> Stretch:
        return stretch(self.store.database, asked)

    def image(self) -> Image:
        return self.engine.image()

    def stop(self) -> None:
        self.recorder.stop()
        self.engine.stop()

    def crash(self) -> None:
        """Lose everything that is not written."""
        self.store.flush = lambda *_: None  # type: ignore[method-assign]
        self.recorder._stopping.set()
        self.recorder._thread.join(120)
        self.store.close()
        self.engine.stop()


def bright(log: Iterable[Said], until: int) -> list[Row]:
    """Return what the view has after so many entries."""
    rooms = dict(list(log)[:until])
    return sorted((room, lux) for room, lux in rooms.items() if lux > 50)
