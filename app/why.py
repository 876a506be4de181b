"""Why a row is there: the row is found by what is said of it, and the answer is kept short.

    {"view": "nearest_machines", "where": {"point": "e1"}}   →   witness, derivations, cuts
    every column of a row that is not there                   →   what is missing

An answer names how many derivations there are and lists the first of them, the smallest; where the
effort ran out before all were known it says so.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from app import present
from app.facade import Engine
from engine.contracts import Explanation
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.plan.meanings import parsed_bigint, parsed_boolean, parsed_double
from engine.views.lineage import BaseRow
from engine.views.view import Snapshot
from engine.views.why.effort import Effort, Exhausted

SECONDS = 0.25
STEPS = 200_000
LISTED = 20


def answer(engine: Engine, view: str, where: Mapping[str, Any]) -> dict[str, Any]:
    """Explain the one row of a view of which ``where`` holds, or why there is no such row."""
    snapshot = engine.snapshot(view)._replace(tick=engine.stamp().tick)
    row = maybe_row(snapshot, where)
    if row is not None:
        return told(engine.why(view, row, effort()))
    row = tuple([value_of(column, as_text(where[column.name])) for column in snapshot.columns])
    return present.missing(snapshot, row, engine.why_not(view, row, effort()))


def effort() -> Effort:
    return Effort(SECONDS, STEPS, time.monotonic)


def maybe_row(snapshot: Snapshot, where: Mapping[str, Any]) -> Row | None:
    """Return the row, None where every column is said and there is none; else say what there is."""
    names = [column.name for column in snapshot.columns]
    unknown = next((name for name in where if name not in names), None)
    if unknown is not None:
        message = (
            f"{snapshot.view} has no column {unknown}; it has {', '.join(names)}{nearest(unknown, names)}"
        )
        raise QueryError(message)
    for column in snapshot.columns:
        if column.name in where:
            value_of(column, as_text(where[column.name]))
    wanted = [(names.index(name), as_text(value)) for name, value in where.items()]
    found = list(islice(matching(snapshot, wanted), 2))
    if len(found) == 1 or (not found and len(where) == len(names)):
        return found[0] if found else None
    asked = " and ".join(f"{name} = {as_text(value)}" for name, value in where.items())
    said = f"row with {asked}" if asked else "row"
    if not found:
        message = (
            f"{snapshot.view} has no {said} as of tick {snapshot.tick}; "
            f"to be told why not, say every column: {', '.join(names)}"
        )
        raise QueryError(message)
    cells_of = present.row_presenter(snapshot.columns)
    shown = "; ".join(described(snapshot.columns, cells_of(row)) for row in found)
    message = f"{snapshot.view} has more than one {said}: {shown}; say more of it, as column=value"
    raise QueryError(message)


def value_of(column: Column, text: str) -> Value:
    """Read a value as people type it."""
    if text == "null":
        return None
    try:
        value = READ[column.type](text)
    except ValueError:
        value = None
    if value is None:
        message = f"{column.name} is a {column.type}, found {text}"
        raise QueryError(message)
    return value


def microseconds(text: str) -> int:
    moment = datetime.fromisoformat(text)
    utc = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (utc - present.EPOCH) // timedelta(microseconds=1)


READ: dict[Type, Callable[[str], Value]] = {
    Type.BIGINT: parsed_bigint,
    Type.DOUBLE: parsed_double,
    Type.BOOLEAN: parsed_boolean,
    Type.TEXT: str,
    Type.TIMESTAMP: microseconds,
}


def matching(snapshot: Snapshot, wanted: Iterable[tuple[int, str]]) -> Iterator[Row]:
    cells_of = present.row_presenter(snapshot.columns)
    for row, _ in snapshot.rows:
        cells = cells_of(row)
        if all(as_text(cells[place]) == text for place, text in wanted):
            yield row


def as_text(value: Any) -> str:
    """Return a cell as people type it."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def described(columns: Iterable[Column], cells: Iterable[Any]) -> str:
    return ", ".join(f"{column.name}={as_text(cell)}" for column, cell in zip(columns, cells, strict=True))


def told(found: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON, with the first of its derivations and cuts."""
    derivations = list(islice(found.provenance.derivations(), LISTED))
    return present.explanation(found, derivations, first_cuts(found))


def first_cuts(found: Explanation) -> list[frozenset[BaseRow]]:
    """Return cuts, as many as a moment's effort finds."""
    listed: list[frozenset[BaseRow]] = []
    try:
        for cut in islice(found.provenance.cuts(effort()), LISTED):
            listed.append(cut)
    except Exhausted:
        pass
    return sorted(listed, key=len)
