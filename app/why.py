"""Why a row is there: the row is found by what is said of it, and the answer is kept short.

    {"view": "nearest_machines", "where": {"point": "e1"}}   →   witness, derivations, cuts
    every column of a row that is not there                   →   what is missing

An answer names how many derivations there are and lists the first of them, the smallest; where the
effort ran out before all were known it says so. Rows are said with when they came, as far back as a look
into the log goes. At error rates, each the share of a relation's rows that are wrong, it says how probable
the row is, if base rows are wrong independently of each other and what is not there is truly not there.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from app import present, prov
from app.facade import Engine
from app.why_asked import USUAL, Asked
from engine.contracts import Explanation
from engine.model.values import Row
from engine.provenance import bdd
from engine.views import finding
from engine.views.finding import column_of, value_of
from engine.views.lineage import BaseRow
from engine.views.view import Snapshot
from engine.views.why.effort import Effort, Exhausted
from ingest.lately import Lately, nothing_kept

SECONDS = 0.25
STEPS = 200_000
DEEPER = 4
CHANCE_SECONDS = 1.0  # computed beside the engine's thread, so that no tick waits for it
CUTS = 20
ROWS = 20_000  # of all derivations that are listed
LookBack = Callable[[Collection[tuple[str, Row]], int], Lately]


def answer(
    engine: Engine,
    view: str,
    where: Mapping[str, Any],
    asked: Asked = USUAL,
    look_back: LookBack = nothing_kept,
) -> dict[str, Any]:
    """Explain the one row of a view of which ``where`` holds, or why there is no such row."""
    snapshot = engine.snapshot(view)._replace(tick=engine.stamp().tick)
    row = maybe_row(snapshot, where)
    if row is not None:
        return _dated(engine, engine.why(view, row, _effort_of(asked)), asked, look_back)
    row = tuple([value_of(column, as_text(where[column.name])) for column in snapshot.columns])
    return present.missing(snapshot, row, engine.why_not(view, row, effort()))


def effort(seconds: float = SECONDS) -> Effort:
    return Effort(seconds, STEPS, time.monotonic)


def _effort_of(asked: Asked) -> Effort:
    return Effort(DEEPER * SECONDS, DEEPER * STEPS, time.monotonic) if asked.deeper else effort()


def maybe_row(snapshot: Snapshot, where: Mapping[str, Any]) -> Row | None:
    """Return the row that is said as people type it, None where every column is said and there is none."""
    said = {name: value_of(column_of(snapshot, name), as_text(value)) for name, value in where.items()}
    return finding.maybe_row(snapshot, said)


def as_text(value: Any) -> str:
    """Return a cell as people type it."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def told(found: Explanation, asked: Asked = USUAL, lately: Lately | None = None) -> dict[str, Any]:
    """Return an explanation as JSON, with the first of its derivations and cuts."""
    body = present.explanation(found, list(listed(found, asked.listed)), first_cuts(found), lately)
    if asked.rates:
        body["probability"] = probability(found, asked.rates)
    return body


def _dated(engine: Engine, found: Explanation, asked: Asked, look_back: LookBack) -> dict[str, Any]:
    """Say an explanation in the form that is asked for, its rows with when they came."""
    derivations = list(listed(found, asked.listed))
    lately = look_back(
        {*found.witness, *(row for each in derivations for row in each)}, engine.stamp().offset
    )
    if asked.form == "json":
        return told(found, asked, lately)
    sources = {relation.name: relation.source for relation in engine.relations()}
    came = {BaseRow(*row): came.at for row, came in lately.came.items()}
    return prov.document(found, derivations, came, lambda relation: sources.get(relation, ""))


def listed(found: Explanation, most: int) -> Iterator[frozenset[BaseRow]]:
    """Yield the first derivations, so many and as long as they have not too many rows; one at least."""
    rows = 0
    for derivation in islice(found.provenance.derivations(), most):
        rows += len(derivation)
        if rows > ROWS and rows > len(derivation):
            return
        yield derivation


def probability(found: Explanation, rates: Mapping[str, float]) -> dict[str, Any]:
    """Return how probable a row is, or between what, if so many rows of each relation are wrong."""
    bdd.module()  # loaded at the first question, before its time counts
    low, high = found.provenance.probability(
        lambda row: 1 - rates.get(row.relation, 0.0), effort(CHANCE_SECONDS)
    )
    return {"low": low, "high": high, "exact": low == high}


def first_cuts(found: Explanation) -> list[frozenset[BaseRow]]:
    """Return cuts, as many as a moment's effort finds."""
    listed: list[frozenset[BaseRow]] = []
    try:
        for cut in islice(found.provenance.cuts(effort()), CUTS):
            listed.append(cut)
    except Exhausted:
        pass
    return sorted(listed, key=len)
