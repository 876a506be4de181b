"""Why a row is there: the row is found by what is said of it, and the answer is kept short.

    {"view": "nearest_machines", "where": {"point": "e1"}}   →   witness, derivations, cuts

An answer names how many derivations there are and lists the first of them, the smallest; where the
effort ran out before all were known it says so.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from app import present
from app.facade import Engine
from engine.contracts import Explanation
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Row
from engine.views.view import Snapshot
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.explain import BaseRow

SECONDS = 0.25
STEPS = 200_000
LISTED = 20


def answer(engine: Engine, view: str, where: Mapping[str, Any]) -> dict[str, Any]:
    """Explain the one row of a view of which ``where`` holds."""
    snapshot = engine.snapshot(view)._replace(tick=engine.stamp().tick)
    return told(engine.why(view, the_row(snapshot, where), effort()))


def effort() -> Effort:
    return Effort(SECONDS, STEPS, time.monotonic)


def the_row(snapshot: Snapshot, where: Mapping[str, Any]) -> Row:
    """Return the row; no row, or several, is an error that says what there is."""
    names = [column.name for column in snapshot.columns]
    unknown = next((name for name in where if name not in names), None)
    if unknown is not None:
        message = (
            f"{snapshot.view} has no column {unknown}; it has {', '.join(names)}{nearest(unknown, names)}"
        )
        raise QueryError(message)
    wanted = [(names.index(name), as_text(value)) for name, value in where.items()]
    found = list(islice(matching(snapshot, wanted), 2))
    if len(found) == 1:
        return found[0]
    asked = " and ".join(f"{name} = {as_text(value)}" for name, value in where.items())
    said = f"row with {asked}" if asked else "row"
    if not found:
        message = f"{snapshot.view} has no {said} as of tick {snapshot.tick}"
        raise QueryError(message)
    cells_of = present.row_presenter(snapshot.columns)
    shown = "; ".join(described(snapshot.columns, cells_of(row)) for row in found)
    message = f"{snapshot.view} has more than one {said}: {shown}; say more of it, as column=value"
    raise QueryError(message)


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
