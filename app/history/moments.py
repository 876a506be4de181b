"""All that a map shows, at one moment of the past; and the stretch over which there is such a past.

span      from the oldest that is kept to the last that is written; a gap is where no view has a past
moment    each view as it was; of one that tells nothing of the moment, why not
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.history.reading import State, known_at, reading, state
from engine.model.errors import QueryError
from engine.views.history import Gap


class Span(NamedTuple):
    """``views`` are those of which a past is kept."""

    start: int
    until: int
    gaps: tuple[Gap, ...]
    views: tuple[str, ...]


class Moment(NamedTuple):
    """Views as they were; ``untold`` says of the others why not."""

    at: int
    states: tuple[State, ...]
    untold: Mapping[str, str]


def moment(database: sa.Engine, views: Iterable[str], at: int) -> Moment:
    """Return the views as they were at a moment."""
    states: list[State] = []
    untold: dict[str, str] = {}
    for view in views:
        try:
            states.append(state(database, view, at))
        except QueryError as error:
            untold[view] = error.message
    return Moment(at, tuple(states), untold)


def span(database: sa.Engine, views: Iterable[str]) -> Span | None:
    """Return since when and up to when there is a past of any of the views; None where of none."""
    known = []
    with reading(database) as connection:
        for view in views:
            try:
                known.append(known_at(connection, view))
            except QueryError:
                continue
    if not known:
        return None
    start, until = min(each.since for each in known), max(each.until for each in known)
    gaps = [Gap(start, until)]
    for each in known:
        gaps = _common(gaps, [Gap(0, each.since), *each.gaps])
    return Span(start, until, tuple(gaps), tuple(each.name for each in known))


def _common(left: Sequence[Gap], right: Sequence[Gap]) -> list[Gap]:
    """Return the time that lies in gaps of both."""
    pairs = ((max(a.start, b.start), min(a.end, b.end)) for a in left for b in right)
    return sorted(Gap(start, end) for start, end in pairs if start < end)
