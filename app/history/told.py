"""What is told of the past: JSON for a chart, CSV for a table.

A chart's points share their times, so each figure is one array as long as ``at``:

    {"at": [t, …], "series": [{"key": […], "columns": [{"count": [n, …], "mean": [v or null, …], …}]}]}
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from app import present
from app.history.moments import Moment, Span
from app.history.ranges import Line, Stretch
from app.history.reading import State
from engine.model.relation import Column
from engine.model.values import Row
from engine.views.history import HOUR, MINUTE, Piece, Stat

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
LEVELS = {HOUR: "hours", MINUTE: "minutes"}
VALUES: dict[str, Callable[[Stat], Any]] = {
    "first": lambda stat: stat.first,
    "last": lambda stat: stat.last,
    "held": lambda stat: stat.held,
}
NUMBERS: dict[str, Callable[[Stat], Any]] = {
    "min": lambda stat: _number(stat.least),
    "max": lambda stat: _number(stat.greatest),
    "mean": lambda stat: stat.total / stat.samples if stat.samples else None,
    "mean_over_time": lambda stat: stat.area / stat.span if stat.span else None,
}
COUNTS: dict[str, Callable[[Stat], Any]] = {
    "count": lambda stat: stat.samples,
    "changes": lambda stat: stat.changes,
}


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def state_json(found: State) -> dict[str, Any]:
    cells = present.row_presenter(found.columns)
    return {
        "view": found.view,
        "at": found.at,
        "columns": present.columns(found.columns),
        "rows": [cells(row) for row in found.rows],
        "gap": list(found.gap) if found.gap else None,
    }


def moment_json(found: Moment) -> dict[str, Any]:
    views = {state.view: state_json(state) for state in found.states}
    return {"at": found.at, "views": views, "untold": dict(found.untold)}


def span_json(found: Span | None) -> dict[str, Any]:
    if found is None:
        return {"from": None, "until": None, "gaps": [], "views": []}
    gaps = [list(gap) for gap in found.gaps]
    return {"from": found.start, "until": found.until, "gaps": gaps, "views": list(found.views)}


def state_csv(found: State) -> str:
    cells = present.row_presenter(found.columns)
    return csv_text([column.name for column in found.columns], map(cells, found.rows))


def stretch_json(found: Stretch) -> dict[str, Any]:
    key = present.row_presenter(found.key)
    return {
        "view": found.view,
        "from": found.grid.start,
        "to": found.grid.end,
        "until": found.until,
        "width": found.grid.width,
        "level": LEVELS.get(found.grid.level, "turns"),
        "key": present.columns(found.key),
        "columns": present.columns(found.columns),
        "gaps": [list(gap) for gap in found.gaps],
        "at": [point.start for point in _any_points(found)],
        "series": [{"key": key(line.key), "columns": _columns(found, line)} for line in found.lines],
    }


def _any_points(found: Stretch) -> tuple[Piece, ...]:
    return next((points for line in found.lines for points in line.columns), ())


def _columns(found: Stretch, line: Line) -> list[dict[str, list[Any]]]:
    return [
        {name: [figure(point.stat) for point in points] for name, figure in figures(column, is_measure)}
        for column, is_measure, points in zip(found.columns, found.is_measure, line.columns, strict=True)
    ]


def figures(column: Column, is_measure: bool) -> Iterator[tuple[str, Callable[[Stat], Any]]]:
    """Yield what is told of a column, by its name."""
    cells = present.row_presenter([column])
    yield from COUNTS.items()
    if is_measure:
        yield from NUMBERS.items()
    for name, value in VALUES.items():
        yield name, partial(_cell, cells, value)


def _cell(cells: Callable[[Row], list[Any]], value: Callable[[Stat], Any], stat: Stat) -> Any:
    return cells((value(stat),))[0]


def stretch_csv(found: Stretch) -> str:
    """Return a line for every point of every series, and a column for every figure."""
    told = [list(figures(*each)) for each in zip(found.columns, found.is_measure, strict=True)]
    names = [
        f"{column.name}_{name}" for column, each in zip(found.columns, told, strict=True) for name, _ in each
    ]
    header = ["at", *(column.name for column in found.key), *names]
    return csv_text(header, (row for line in found.lines for row in _rows(found, line, told)))


def _rows(
    found: Stretch, line: Line, told: list[list[tuple[str, Callable[[Stat], Any]]]]
) -> Iterator[list[Any]]:
    key = present.row_presenter(found.key)(line.key)
    for points in zip(*line.columns, strict=True):
        at = present.moment(points[0].start)
        yield [
            at,
            *key,
            *(figure(p.stat) for p, each in zip(points, told, strict=True) for _, figure in each),
        ]


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table that every spreadsheet reads."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_plain, header))
    writer.writerows(map(_plain, row) for row in rows)
    return text.getvalue()


def _plain(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula: devices write these texts."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell
