"""The views of a building, computed anew from the whole log in one batch: what the live ones must equal."""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from app.settings import SIMULATED_BUILDING
from engine.lang.streamsql import parse_script
from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.totals import in_totals
from engine.plan.expressions import compiled
from engine.plan.leaves import StreamFragment, TotalFragment
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from ingest.pseudonyms import key_of
from ingest.reader import LogReader
from ingest.sources import load_sources
from ingest.wrappers.database.schema import reflect

View = Counter[Row]


def recompute(log_url: str, database_url: str, state: Path, until: int | None = None) -> dict[str, View]:
    """Return every view of the simulated building as of offset ``until``, or the log's end."""
    session = replayed(log_url, database_url, state, 0, until)
    return {view.name: Counter(dict(session.snapshot(view.name).rows)) for view in session.views()}


def replayed(log_url: str, database_url: str, state: Path, start: int, until: int | None) -> Session:
    """Return a session that took the log from ``start`` to ``until`` in one tick."""
    session, reader = beginning(log_url, database_url, state)
    feed(session, *read_all(reader, start, until))
    return session


def beginning(log_url: str, database_url: str, state: Path) -> tuple[Session, LogReader]:
    """Return a session with the building's views that has read nothing, and what reads the log for it."""
    environment = {**os.environ, "SMARTCIS_STATE": str(state), "SMARTCIS_DATABASE_URL": database_url}
    found = load_sources(SIMULATED_BUILDING / "sources.yaml", environment)
    sources = replace(found, pseudonym_key=key_of(state))
    tables = [relation for db in sources.databases for relation in reflect(db.url, db.tables, db.source)]
    session = Session(Catalog((*sources.relations(), *tables)), FederatedOptimizer())
    for statement in parse_script((SIMULATED_BUILDING / "views.sql").read_text("utf-8")):
        session.replace(statement)
    return session, LogReader(log_url, sources, tables)


def feed(session: Session, readings: Iterable[Reading], end: int, at: int) -> None:
    """Close a tick of these readings."""
    session.advance(end, at, portions(session, readings))


def portions(session: Session, readings: Iterable[Reading]) -> dict[StreamFragment, list[Reading]]:
    """Return what a tick of these readings brings to each fragment of a session."""
    rows: dict[str, list[Reading]] = {}
    for reading in readings:
        rows.setdefault(reading.relation, []).append(reading)
    taken = {}
    for fragment in session.fragments():
        takes = compiled(fragment.predicate) if fragment.predicate is not None else lambda _: True
        found = [r for r in rows.get(fragment.relation, ()) if takes(r.row) is True]
        taken[fragment] = in_totals(fragment, found) if isinstance(fragment, TotalFragment) else found
    return taken


def read_all(reader: LogReader, start: int, until: int | None) -> tuple[list[Reading], int, int]:
    """Return the readings between two offsets, the last offset and its stamp."""
    readings: list[Reading] = []
    at = 0
    while until is None or start < until:
        batch = reader.read(start)
        if batch.end == start:
            break
        readings += [r for r in batch.readings if until is None or r.offset <= until]
        start, at = batch.end, batch.at
    return readings, start if until is None else until, at
