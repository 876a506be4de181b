"""The demo building's ways by a real engine, its sensors in the test's hand, its ticks going on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.wayfinding import install_wayfinding
from app.ways.plans import install_way_views
from app.ways.shared import SharedWays
from engine.lang.streamsql import parse_script
from engine.model.values import Row
from engine.service import Engine
from ingest.building.design import FOLDER
from ingest.building.facts import TABLES
from tests.demo_building import BUILDING, catalog_of, laid_out
from tests.memory_log import Entry, MemoryLog
from tests.web_parts import Site, running_site

BEAT, GAP = 0.1, 100_000
SCRIPT = parse_script((FOLDER / "views.sql").read_text())


class Walking:
    """An engine over a log in memory; what a sensor says is in the next tick."""

    def __init__(self, state: Path) -> None:
        self.catalog = catalog = catalog_of(state)
        self.log, self._lock, self._ended = MemoryLog(), threading.Lock(), threading.Event()
        session = self.log.session(catalog)
        install_wayfinding(session, catalog, SCRIPT)
        install_way_views(session, catalog, SCRIPT)
        for statement in SCRIPT:
            session.replace(statement)
        for name in TABLES:
            self.log.write(0, name, *laid_out(catalog[name]))
        self.log.write(0, "seats", *((desk.id, False) for desk in BUILDING.desks))
        self.log.write(0, "door_states", *((door.id, True) for door in BUILDING.contacts))
        self.engine = Engine(session)
        self.ways = SharedWays(self.engine, session, SCRIPT)
        self._tick()
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()

    def now(self) -> int:
        return self.log.stamps[-1]

    def say(self, relation: str, *rows: Row, sign: int = 1) -> None:
        with self._lock:
            self.log.write(1000, relation, *rows, sign=sign)

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        self.engine.stop()

    def _go(self) -> None:
        while not self._ended.wait(BEAT):
            with self._lock:
                self.log.append(Entry(GAP))
                self._tick()

    def _tick(self) -> None:
        start, end = self.engine.stamp().offset, self.log.end
        pieces = {each: self.log.piece(each, start, end) for each in self.engine.fragments()}
        self.engine.advance(end, self.log.stamps[end], pieces)


@contextmanager
def walking_site(state: Path, **settings: object) -> Iterator[tuple[Walking, Site]]:
    walking = Walking(state)
    with running_site(state, engine=walking.engine, ways=walking.ways, feed=walking, **settings) as site:
        yield walking, site
    walking.end()
