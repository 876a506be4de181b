"""The demo building's relations and facts, without its devices."""

import os
from collections.abc import Iterator
from pathlib import Path

from engine.model.catalog import Catalog
from engine.model.relation import Relation
from engine.model.values import Row
from ingest.building.design import FOLDER, the_building
from ingest.building.facts import TABLES, prepare, rows
from ingest.sources import load_sources
from ingest.wrappers.database.schema import reflect

BUILDING = the_building()


def catalog_of(state: Path) -> Catalog:
    """What the building declares, its tables as a database reflects them."""
    url = f"sqlite:///{state / 'facts.db'}"
    prepare(url)
    environment = {**os.environ, "SMARTCIS_DATABASE_URL": url, "SMARTCIS_STATE": str(state)}
    sources = load_sources(FOLDER / "sources.yaml", environment)
    return Catalog((*sources.relations(), *reflect(url, TABLES, "db:facts")))


def laid_out(relation: Relation) -> Iterator[Row]:
    """The rows of one of the building's tables."""
    for fact in rows(BUILDING, relation.name):
        yield tuple(fact[column.name] for column in relation.columns)
