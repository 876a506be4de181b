"""Where the ranges of a table begin: at every n-th part of its keys, by their first column.

ranges = (-∞, k1) [k1, k2) … [kn, ∞)          every key is in one of them, those to come too

A database without types of its own (SQLite) may have none in a key, which is in the first, or what is no
number, which begins no range and is refused where it is read.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.relation import Relation
from engine.model.values import Type


class KeyRange(NamedTuple):
    """The keys from ``low`` on, up to ``high`` and without it; None where there is no bound."""

    low: int | None
    high: int | None


def check_key(relation: Relation, where: str) -> None:
    """Refuse a table that cannot be read by ranges of its keys."""
    first = relation.columns[relation.key_positions[0]]
    if first.type is not Type.BIGINT:
        msg = (
            f"table {relation.name} of {where} is to be read in ranges of its key, which begins with "
            f"{first.name}, a {first.type}; expected a whole number. Name the table under tables"
        )
        raise SourceError(msg)


def cut(connection: sa.Connection, relation: Relation, parts: int) -> tuple[KeyRange, ...]:
    """Return so many ranges, of as many rows each as can be; some are empty where there are few keys."""
    key: sa.ColumnClause[int] = sa.column(relation.key[0])
    table = sa.table(relation.name, key)
    count = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    places = sorted({count * part // parts for part in range(1, parts)} - {0}) if count else []
    found = [
        connection.execute(sa.select(key).select_from(table).order_by(key).offset(place).limit(1)).scalar()
        for place in places
    ]
    return ranges_between(sorted({each for each in found if isinstance(each, int)}), parts)


def ranges_between(bounds: Sequence[int], parts: int) -> tuple[KeyRange, ...]:
    """Return the ranges between bounds that ascend, and empty ones where there are too few."""
    ranges = [KeyRange(*each) for each in pairwise((None, *bounds, None))]
    return (*ranges, *[KeyRange(0, 0)] * (parts - len(ranges)))


def place_of(ranges: Sequence[KeyRange], key: int | None) -> int:
    """Return the number of the range that a key is in."""
    for number, (low, high) in enumerate(ranges):
        if key is None or ((low is None or key >= low) and (high is None or key < high)):
            return number
    raise AssertionError
