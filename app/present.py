"""Our types as JSON; nothing else in the house writes them.

    BIGINT beyond ±2⁵³   text, since JavaScript would round it
    NaN, ±Infinity       "NaN", "Infinity", "-Infinity", since JSON has no such numbers
    TIMESTAMP            ISO 8601 in UTC with microseconds
    anything else        itself

``at`` and ``now`` in messages stay integers: microseconds since the epoch.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Any

from engine.contracts import Explanation, ViewInfo
from engine.model.relation import SITES, Column
from engine.model.values import Row, Type, Value
from engine.plan.explaining import ExplainedPlan, PlanForm, as_document, as_text
from engine.plan.explaining.describing import site_name
from engine.plan.expressions import Field
from engine.plan.logical import SortKey
from engine.plan.typed import moment_of
from engine.views.elsewhere import Elsewhere, Part, parts_of, read_by
from engine.views.lineage import BaseRow
from engine.views.view import Delta, Snapshot
from engine.views.why.missing import Missing
from ingest.lately import Lately

Cell = int | float | bool | str | None | list["Cell"]
EXACT = 2**53


def snapshot(found: Snapshot, missing: Sequence[str] = ()) -> dict[str, Any]:
    """Return the message that starts a view, ``missing`` the sites that it is without."""
    present = row_presenter(found.columns)
    return {
        "view": found.view,
        "run": found.run,
        "tick": found.tick,
        "at": found.at,
        "columns": columns(found.columns),
        "rows": [cells for row, count in found.rows for cells in [present(row)] * count],
        "order": order(found.order),
        "missing": list(missing),
    }


def order(keys: Iterable[SortKey]) -> list[dict[str, Any]]:
    """Return by which columns rows are ordered, up to a key that is more than a column."""
    columns = takewhile(lambda pair: isinstance(pair[0], Field), ((key.expression, key) for key in keys))
    return [
        {"column": field.position, "descending": key.descending, "nulls_first": key.nulls_first}
        for field, key in columns
        if isinstance(field, Field)
    ]


def delta(change: Delta, shape: Sequence[Column]) -> dict[str, Any]:
    """Return the message that carries a view from tick ``after`` to tick ``tick``."""
    present = row_presenter(shape)
    return {
        "view": change.view,
        "run": change.run,
        "tick": change.tick,
        "after": change.after,
        "at": change.at,
        "changes": [[count, present(row)] for row, count in change.changes],
    }


def columns(shape: Iterable[Column]) -> list[dict[str, str]]:
    """Return names and types."""
    return [{"name": column.name, "type": str(column.type)} for column in shape]


def view(info: ViewInfo) -> dict[str, Any]:
    """Return what the list of views says of one."""
    return {
        "name": info.name,
        "columns": columns(info.columns),
        "sql": info.sql,
        "rows": info.rows,
        "suspended": info.suspended,
        "missing": list(info.missing),
    }


def plan(found: ExplainedPlan, form: PlanForm) -> str | dict[str, Any]:
    """Return how a query is run."""
    return as_document(found) if form == "json" else as_text(found)


def sites(rows: Iterable[Row]) -> list[dict[str, Cell]]:
    """Return how the other sites are."""
    cells, names = row_presenter(SITES.columns), [column.name for column in SITES.columns]
    return [dict(zip(names, cells(row), strict=True)) for row in rows]


def explanation(
    found: Explanation,
    derivations: Iterable[Iterable[BaseRow]],
    cuts: Iterable[Iterable[BaseRow]],
    lately: Lately | None = None,
) -> dict[str, Any]:
    """Return why a row is there, with some of its derivations and cuts, and when its rows came."""
    presenters = {name: row_presenter(shape) for name, shape in found.columns.items()}

    def row(of: BaseRow) -> dict[str, Any]:
        told = base_row(of, found.elsewhere, presenters[of.relation])
        came = lately.came.get(of) if lately else None
        return told if came is None else {**told, "came": came.at, "topic": came.topic}

    def rows(given: Iterable[BaseRow]) -> list[dict[str, Any]]:
        return [row(each) for each in sorted(given, key=str)]

    return {
        "view": found.view,
        "tick": found.tick,
        "row": presenters[found.view](found.row),
        "witness": rows(found.witness),
        "absent": [
            {
                "relation": absent.relation,
                "key": list(map(_untyped, absent.key)),
                "truncated": absent.missing.is_truncated,
                "missing": gaps(absent.missing, found.elsewhere),
            }
            for absent in found.absent
        ],
        "count": found.provenance.count,
        "truncated": found.provenance.is_truncated,
        "derivations": [rows(each) for each in derivations],
        "cuts": [rows(each) for each in cuts],
        "looked_since": lately.since if lately else None,
    }


def missing(asked: Snapshot, row: Row, found: Missing) -> dict[str, Any]:
    """Return why a row is not there."""
    return {
        "view": asked.view,
        "tick": asked.tick,
        "row": row_presenter(asked.columns)(row),
        "truncated": found.is_truncated,
        "missing": gaps(found, found.elsewhere),
    }


def gaps(found: Missing, elsewhere: Elsewhere) -> list[dict[str, Any]]:
    """Return what a row lacks, and what is in its way."""
    return [
        {
            "reason": str(gap.reason),
            "of": gap.of,
            "wanted": {name: _untyped(value) for name, value in gap.wanted.items()},
            "found": [list(map(_untyped, each)) for each in gap.found],
            "condition": gap.condition,
            "by": [base_row(each, elsewhere) for each in gap.by],
        }
        for gap in found.gaps
    ]


def base_row(
    of: BaseRow, elsewhere: Elsewhere, cells: Callable[[Row], list[Cell]] | None = None
) -> dict[str, Any]:
    """Return a row that something stands on; of another site's, where it is, and what it is known to be."""
    told: dict[str, Any] = {"relation": of.relation, "row": (cells or untyped_row)(of.row)}
    site, leaf = elsewhere.site_of(of.relation), elsewhere.fragments.get(of.relation)
    if site is not None:
        told["site"] = site_name(site)
    if leaf is not None:
        told |= {"columns": columns(leaf.columns), "of": list(read_by(leaf))}
        told["parts"] = [part_of(part) for part in parts_of(leaf, of.row)]
    if (totals := elsewhere.totals.get(of.relation)) is not None:
        told |= {"columns": columns(totals.columns), "totals_of": totals.relation.name}
    return told


def part_of(part: Part) -> dict[str, Any]:
    """Return what is known of a row of another site."""
    names = part.relation.columns
    known = {names[i].name: row_presenter([names[i]])((value,))[0] for i, value in sorted(part.known.items())}
    return {"relation": part.relation.name, "known": known}


def untyped_row(row: Row) -> list[Cell]:
    return list(map(_untyped, row))


def row_presenter(shape: Sequence[Column]) -> Callable[[Row], list[Cell]]:
    """Return what makes cells of a row."""
    makers = [_PRESENT.get(column.type, _untyped) for column in shape]
    return lambda row: [make(value) for make, value in zip(makers, row, strict=True)]


def _untyped(value: Value) -> Cell:
    """Present what has no type of its own, or one made of others: a list, a point, a record."""
    match value:
        case tuple():
            return [_untyped(part) for part in value]
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case int() if not -EXACT <= value <= EXACT:
            return str(value)
    return value


def moment(at: int) -> str:
    """Return a time as a timestamp's cell has it."""
    return moment_of(at) or str(at)


def _timestamp(value: Value) -> Cell:
    return (moment_of(value) or str(value)) if isinstance(value, int) else _untyped(value)


_PRESENT: dict[Type, Callable[[Value], Cell]] = {
    Type.TIMESTAMP: _timestamp,
}
