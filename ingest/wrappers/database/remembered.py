"""What the log remembers of a fragment: that it was answered, and its rows in a fixed number of items.

    item n  =  [[row, count], …]  of the rows r with crc32(r) mod ITEMS = n

A change writes the items of its rows anew. An item a row would be a statement a row: of a first answer of
100,000 rows, and again when nobody wants it any more.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from zlib import crc32

from engine.model.values import Row
from ingest.log import StateChange

ANSWERED = "answered"
ITEMS = 256


class Said(NamedTuple):
    """What the log says of a fragment."""

    rows: Counter[Row]
    answered: bool


def remembered(state: Mapping[str, str]) -> Said:
    """Return what was said by the state of a fragment."""
    items = (json.loads(body) for item, body in state.items() if item != ANSWERED)
    return Said(Counter({tuple(row): count for item in items for row, count in item}), ANSWERED in state)


def remembering(label: str, rows: Counter[Row], changed: Iterable[Row]) -> Iterator[StateChange]:
    """Yield what makes the state that of these rows, of which some changed."""
    items: dict[int, list[tuple[Row, int]]] = {_item_of(row): [] for row in changed}
    for row, count in rows.items() if items else ():
        item = items.get(_item_of(row))
        if item is not None:
            item.append((row, count))
    for place, found in items.items():
        yield StateChange(label, str(place), json.dumps(found) if found else None)


def forgetting(label: str, rows: Iterable[Row]) -> list[StateChange]:
    """Return what removes the state of a fragment that has these rows."""
    items = [ANSWERED, *{str(_item_of(row)) for row in rows}]
    return [StateChange(label, item, None) for item in items]


def _item_of(row: Row) -> int:
    return crc32(repr(row).encode()) % ITEMS
