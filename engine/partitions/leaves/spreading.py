"""Which leaves can be spread, and by what: rows that one leaf must see together have one owner.

    a table          its key, or all of the row          a window of time     the row, by itself
    a database's     the row                             the last n of each   what it is the last n of

Time moves every share alike, so windows by time need nothing else. Not spread are the last n of all rows,
samples, totals, which are few, and what gateways say, whose messages are counted.
"""

from collections.abc import Callable, Iterable
from operator import itemgetter

from engine.model.reading import Reading
from engine.model.relation import SENSOR_SITE
from engine.model.values import Row
from engine.partitions.hashing import Partition, owner_of_key
from engine.plan.leaves import Leaf, Shipped, Table, Totalled
from engine.plan.windows import Rows

RowOwner = Callable[[Row], Partition]


def key_places(leaf: Leaf) -> tuple[int, ...] | None:
    """Return the places of a row's key, none of which is all of them; None where a leaf cannot be spread."""
    if isinstance(leaf, Table):
        return leaf.relation.key_positions
    if isinstance(leaf, Shipped):
        return None if leaf.site == SENSOR_SITE else ()
    if isinstance(leaf, Totalled) or leaf.sample is not None:
        return None
    if isinstance(leaf.window, Rows):
        return leaf.window.partition or None
    return ()


def can_spread(leaf: Leaf) -> bool:
    return key_places(leaf) is not None


def owner_of_row(leaf: Leaf, partitions: int) -> RowOwner:
    """Return what finds the owner of a row."""
    places, owner = key_places(leaf), owner_of_key(partitions)
    if not places:
        return owner
    if len(places) == 1:
        (place,) = places
        return lambda row: owner((row[place],))
    key = itemgetter(*places)
    return lambda row: owner(key(row))


def spread(readings: Iterable[Reading], owner: RowOwner, partitions: int) -> dict[Partition, list[Reading]]:
    """Return what came by partition; what says something and is no row goes everywhere."""
    found: dict[Partition, list[Reading]] = {}
    for reading in readings:
        receivers: Iterable[Partition] = (owner(reading.row),) if reading.sign else range(partitions)
        for receiver in receivers:
            found.setdefault(receiver, []).append(reading)
    return found
