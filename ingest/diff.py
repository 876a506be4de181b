"""The difference between two snapshots of keyed rows.

    apply(diff(old, new), old) = new         a changed row is a delete and an insert

Deletes come first, so that a value which moved from one row to another never stands twice.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.model.values import Row, Value

NamedRow = Mapping[str, Value]
Rows = Mapping[Row, NamedRow]


class Change(NamedTuple):
    """A row that came (+1) or went (-1)."""

    sign: int
    key: Row
    row: NamedRow


def diff(old: Rows, new: Rows) -> Iterator[Change]:
    """Yield what turns ``old`` into ``new``, both rows by key."""
    for key, row in old.items():
        if key not in new or not _same(new[key], row):
            yield Change(-1, key, row)
    for key, row in new.items():
        if key not in old or not _same(old[key], row):
            yield Change(+1, key, row)


def _same(a: NamedRow, b: NamedRow) -> bool:
    """Compare without 1 = 1.0 = True: a column whose type or place changed is a change."""
    if a != b:
        return False
    return all(
        name == other and type(value) is type(b[name])
        for (name, value), other in zip(a.items(), b, strict=True)
    )
