"""The tables of a database as a run of SmartCIS saw them first, kept for an acquisition that starts again.

All else in the run goes by these columns; a process that begins anew in the middle of it must not take
what the schema has become meanwhile for what it was. The next run begins without the file.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from ingest.sources import DatabaseSource

PREFIX = "schema-"


def file_of(database: DatabaseSource, state: Path) -> Path:
    return state / f"{PREFIX}{quote(database.name, safe='')}.json"


def forget(state: Path) -> None:
    """Begin a run, which sees all tables anew."""
    for file in state.glob(f"{PREFIX}*.json"):
        file.unlink(missing_ok=True)


def keep(file: Path, relations: Sequence[Relation]) -> None:
    """Write down what was seen; a disk that is full is told by the log."""
    said = [
        {
            "name": each.name,
            "columns": [[column.name, column.type, column.nullable] for column in each.columns],
            "key": each.key,
            "site": each.site,
        }
        for each in relations
    ]
    draft = file.with_suffix(".draft")
    with suppress(OSError):
        draft.write_text(json.dumps(said), "utf-8")
        draft.replace(file)


def kept(file: Path, database: DatabaseSource) -> tuple[Relation, ...]:
    """Return what was seen first of all tables that are declared, or nothing."""
    try:
        said = json.loads(file.read_text("utf-8"))
        found = tuple(
            Relation(
                each["name"],
                RelationKind.TABLE,
                tuple(Column(name, Type(kind), bool(nullable)) for name, kind, nullable in each["columns"]),
                tuple(each["key"]),
                source=database.source,
                site=each["site"],
            )
            for each in said
        )
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return found if [each.name for each in found] == list(database.all_tables) else ()
