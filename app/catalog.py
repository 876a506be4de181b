"""The relations of a building: what sources.yaml declares and what its databases reflect."""

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.settings import Settings
from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.partitions.carrying import Carrier
from ingest.log import Log
from ingest.pseudonyms import key_of
from ingest.sources import Sources, load_sources
from ingest.wrappers.database.connecting import NotInstalledError
from ingest.wrappers.database.ranges.polling import RangedDatabase
from ingest.wrappers.database.schema import reflect_database

T = TypeVar("T")
ATTEMPTS = 60


def declared_sources(settings: Settings) -> Sources:
    """Return what the building's sources.yaml declares."""
    found = load_sources(settings.building / "sources.yaml", environment_of(settings))
    return replace(found, pseudonym_key=key_of(settings.state))


def environment_of(settings: Settings) -> dict[str, str]:
    """Return what ${NAME} stands for where sources are declared."""
    return {
        **os.environ,
        "SMARTCIS_STATE": str(settings.state),
        "SMARTCIS_DATABASE_URL": settings.database_url,
        "SMARTCIS_BUILDING": str(settings.building),
    }


def reflected_tables(sources: Sources, say: Callable[[str], None]) -> tuple[Relation, ...]:
    """Return the databases' tables; a database that is not up yet is waited for, for a minute."""
    tables: list[Relation] = []
    for database in sources.databases:
        tables += patiently(partial(reflect_database, database), say)
    return tuple(tables)


def ranged_databases(
    settings: Settings, sources: Sources, tables: Iterable[Relation], log: Log, carry: Callable[[], Carrier]
) -> tuple[RangedDatabase, ...]:
    """Return what reads tables in ranges, where there are shares to read them."""
    if not settings.partitions or settings.recording:
        return ()
    named = {table.name: table for table in tables}
    return tuple(
        RangedDatabase(database, [named[table] for table in database.in_ranges], log, carry)
        for database in sources.databases
        if database.in_ranges
    )


def patiently(attempt: Callable[[], T], say: Callable[[str], None]) -> T:
    """Try each second for a minute, telling the first failure."""
    pause = threading.Event()
    for turn in range(ATTEMPTS):
        try:
            return attempt()
        except NotInstalledError:
            raise
        except SourceError as error:
            if turn == ATTEMPTS - 1:
                raise
            if turn == 0:
                say(f"{error.message}; trying again for a minute")
            pause.wait(1.0)
    raise AssertionError
