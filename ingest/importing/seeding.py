"""The facts of an imported building in a database, so that what people changed there stays.

    seeded before   in the database   imported now
          s                s               n          becomes n: nobody touched it
          s                c               n          stays c: somebody changed it
          s                -               n          stays away: somebody removed it
          -                c               n          stays c: somebody made it
          s                s               -          goes

What was seeded is remembered in the table ``building_seed``. The tables are those of `ingest.building.facts`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError
from ingest.building.facts import TABLES, VERSION_TABLE, migrate, only_one
from ingest.importing.folder import read_rows
from ingest.importing.placed import read_placed, rows_of_placed

SEED = sa.Table(
    "building_seed",
    sa.MetaData(),
    sa.Column("relation", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("row", sa.Text, nullable=False),
)
DIGEST = ("", "digest")
Row = dict[str, Any]


class Seeded(NamedTuple):
    """What became of rows: written, or kept as people had made them."""

    written: int
    kept: int


def prepare(url: str, folder: Path) -> Seeded:
    """Bring the schema up to date, and the rows to what the folder has."""
    engine = sa.create_engine(url)
    try:
        with engine.begin() as connection:
            only_one(connection)
            _check_same_building(connection)
            migrate(connection)
            SEED.create(connection, checkfirst=True)
            return _seed(connection, rows_of_folder(folder))
    except sa.exc.OperationalError as error:
        message = (
            f"the facts of {folder} cannot be written: {' '.join(str(error.orig or error).split())[:200]}"
        )
        raise SourceError(message) from error
    finally:
        engine.dispose()


def rows_of_folder(folder: Path) -> dict[str, list[Row]]:
    """Return all rows of a building folder: what was imported and what was placed."""
    imported = read_rows(folder)
    placed = rows_of_placed(read_placed(folder), imported)
    return {name: [*imported.get(name, ()), *placed.get(name, ())] for name in TABLES}


def _check_same_building(connection: sa.Connection) -> None:
    there = set(sa.inspect(connection).get_table_names())
    if VERSION_TABLE in there and SEED.name not in there:
        message = (
            f"{connection.engine.url} has the facts of another building; "
            "set SMARTCIS_STATE to a folder of its own, or SMARTCIS_DATABASE_URL to another database"
        )
        raise SourceError(message)


def _seed(connection: sa.Connection, rows: Mapping[str, list[Row]]) -> Seeded:
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    seeds = {(each.relation, each.key): each.row for each in connection.execute(sa.select(SEED))}
    if seeds.pop(DIGEST, None) == digest:
        return Seeded(0, 0)
    tables = sa.MetaData()
    tables.reflect(connection, only=list(TABLES))
    done = [_merge(connection, tables.tables[name], rows[name], seeds) for name in TABLES]
    connection.execute(sa.delete(SEED))
    kept = [*_seeds(tables, rows), {"relation": DIGEST[0], "key": DIGEST[1], "row": digest}]
    connection.execute(sa.insert(SEED), kept)
    return Seeded(sum(each.written for each in done), sum(each.kept for each in done))


def _seeds(tables: sa.MetaData, rows: Mapping[str, list[Row]]) -> Iterator[Row]:
    for name, found in rows.items():
        for row in found:
            yield {"relation": name, "key": key_of(tables.tables[name], row), "row": _text(row)}


def _merge(
    connection: sa.Connection, table: sa.Table, rows: Iterable[Row], seeds: Mapping[tuple[str, str], str]
) -> Seeded:
    """Do what the header says, row by row; inserts go together."""
    wanted = {key_of(table, row): row for row in rows}
    there = {key_of(table, row): row for row in map(_plain, connection.execute(sa.select(table)).mappings())}
    before = {key: json.loads(text) for (name, key), text in seeds.items() if name == table.name}
    made, kept, written = [], 0, 0
    for key in {**before, **wanted}:
        new, now, seed = wanted.get(key), there.get(key), before.get(key)
        untouched = now is not None and seed is not None and _same(now, seed)
        if now is None and seed is None and new is not None:
            made.append(new)
        elif untouched and new != seed:
            assert now is not None
            where = sa.and_(*(column == now[column.name] for column in table.primary_key))
            change = sa.delete(table) if new is None else sa.update(table).values(new)
            connection.execute(change.where(where))
            written += 1
        elif new is not None and not untouched and (now is None or not _same(now, new)):
            kept += 1
    if made:
        connection.execute(sa.insert(table), made)
    return Seeded(written + len(made), kept)


def key_of(table: sa.Table, row: Mapping[str, Any]) -> str:
    return json.dumps([row[column.name] for column in table.primary_key])


def _plain(row: Mapping[Any, Any]) -> Row:
    return {str(name): value for name, value in row.items()}


def _same(now: Row, seed: Row) -> bool:
    """Compare what was seeded; a column that came with a later migration is nobody's change."""
    return all(now.get(name) == value for name, value in seed.items())


def _text(row: Row) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False)
