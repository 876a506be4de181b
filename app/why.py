"""Why a row is there: the row is found by what is said of it, and the answer is kept short.

    {"view": "nearest_machines", "where": {"point": "e1"}}   →   witness, derivations, cuts
    every column of a row that is not there                   →   what is missing

An answer names how many derivations there are and lists the first of them, the smallest; where the
effort ran out before all were known it says so.
"""

import time
from collections.abc import Mapping
from itertools import islice
from typing import Any

from app import present
from app.facade import Engine
from engine.contracts import Explanation
from engine.model.values import Row
from engine.views import finding
from engine.views.finding import column_of, value_of
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
    """Return the row that is said as people type it, None where every column is said and there is none."""
    said = {name: value_of(column_of(snapshot, name), as_text(value)) for name, value in where.items()}
    return finding.maybe_row(snapshot, said)


def as_text(value: Any) -> str:
    """Return a cell as people type it."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


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
