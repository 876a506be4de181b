"""A session over a real log, followed without Spark: what is declared and written there comes to be."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from app.acquaintances import acquaintances
from app.declarer import Declarer
from app.fragments import Fragments
from engine.model.catalog import Catalog
from engine.model.values import Row
from engine.outcomes import Listing, Outcome
from engine.plan.expressions import compiled
from engine.service import Engine
from engine.session import Session
from engine.statements import prepared
from engine.views.checkpoint import Image
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from ingest.acquisition import HEALTH_FILE
from ingest.declarations import read_declaration, relations_in_force
from ingest.history import LogHistory
from ingest.log import CLOCK_ENTRY, Entry, Log
from ingest.reader import LogReader
from ingest.sources import parse_sources

SOURCES = "mqtt: {seats: {topic: 'seat/{desk}', columns: {desk: text, pressed: boolean}, window: ROWS 9}}"


class House:
    """A log, and an engine that follows it."""

    def __init__(self, folder: Path, image: Image | None = None, declared: str = SOURCES) -> None:
        (folder / HEALTH_FILE).write_text('{"declared": 1000000}')
        self.url = f"sqlite:///{folder / 'log.db'}"
        sources = parse_sources(declared, {})
        self.log, self.reader = Log(self.url), LogReader(self.url, sources)
        found = relations_in_force(read_declaration(*each) for each in self.log.declared())
        catalog = Catalog((*sources.relations(), *found))
        history = LogHistory(self.log, LogReader(self.url, sources))
        self.session = Session(catalog, FederatedOptimizer(), history)
        if image is not None:
            self.session.restore(image, pytest.fail)
            self.session.restored(pytest.fail)
        self.reader.before = acquaintances(self.session)
        self.engine = Engine(self.session)
        declarer = Declarer(
            self.engine, self.session, self.log, folder, {"FACTS": f"sqlite:///{folder}/facts.db"}
        )
        self.engine.reach_out = declarer.maybe_run
        self.fragments = Fragments(self.engine.shipped, self.log)
        self.engine.on_tick(self.fragments.look)
        self.fragments.start()
        self.ending = Event()
        self.thread = Thread(target=self._follow, daemon=True)
        self.thread.start()

    def _follow(self) -> None:
        while not self.ending.is_set():
            fragments, end = self.engine.fragments(), self.engine.stamp().offset
            batch = self.reader.read(end)
            rows: dict[Any, Any] = {fragment: [] for fragment in fragments}
            for fragment in fragments:
                takes = compiled(fragment.predicate) if fragment.predicate else lambda _: True
                rows[fragment] += [
                    r for r in batch.readings if r.relation == fragment.relation and takes(r.row) is True
                ]
            if batch.end > end:
                self.engine.advance(batch.end, batch.at, rows)
            self.ending.wait(0.005)

    def do(self, sql: str) -> list[Outcome]:
        return [self.engine.execute(each, {}, Effort) for each in prepared(sql, {})]

    def rows(self, sql: str) -> list[Row]:
        (found,) = self.do(sql)
        assert isinstance(found, Listing)
        return sorted(found.rows, key=str)

    def hears(self, topic: str, payload: bytes, source: str = "mqtt") -> None:
        """Append a message, and wait until the engine has it."""
        offset, reached = self.log.append([Entry(source, topic, payload)]).offset, Event()
        self.engine.on_tick(lambda stamp: reached.set() if stamp.offset >= offset else None)
        self.log.append([CLOCK_ENTRY])
        assert reached.wait(120)

    def stop(self) -> Image:
        if self.ending.is_set():
            return self.session.image()
        image = self.engine.image()
        self.ending.set()
        self.thread.join(120)
        self.engine.stop()
        self.fragments.stop()
        self.log.close()
        return image
