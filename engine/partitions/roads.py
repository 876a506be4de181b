"""An edge of a cut plan as rows go it: which of them to which partition."""

from collections.abc import Callable, Iterable, Mapping

from engine.model.values import Row
from engine.partitions.cutting import Cut, Edge
from engine.partitions.hashing import Partition, owner_of_key
from engine.partitions.orders import Mail, Parcel, Rows
from engine.partitions.placing import Everywhere, Gathered, Staying
from engine.plan.expressions import row_of


class Road:
    """One edge, between so many partitions."""

    def __init__(self, edge: Edge, partitions: int) -> None:
        self.edge = edge
        self._partitions = partitions
        self._key: Callable[[Row], Row] | None = None
        if isinstance(edge.route, tuple):
            self._key = row_of(edge.route)
        self._owner = owner_of_key(partitions)

    def split(self, rows: Rows, here: Partition) -> Iterable[tuple[Partition, Rows]]:
        """Return rows by the partition that they go to."""
        match self.edge.route:
            case Staying():
                return [(here, rows)]
            case Everywhere():
                return [(each, rows) for each in range(self._partitions)]
            case Gathered():
                return [(self.edge.route.home(self._partitions), rows)]
        found: dict[Partition, Rows] = {}
        owner, key_of = self._owner, self._key
        assert key_of is not None
        for row, count in rows.items():
            found.setdefault(owner(key_of(row)), {})[row] = count
        return found.items()


def fed(cut: Cut, partitions: int, changes: Mapping[int, Rows]) -> dict[Partition, list[Parcel]]:
    """Return changes of the leaves as mail for the partitions."""
    parcels: dict[Partition, list[Parcel]] = {}
    for leaf, rows in changes.items():
        for edge in cut.feeds[leaf] if rows else ():
            for receiver, its in Road(edge, partitions).split(rows, 0):
                parcels.setdefault(receiver, []).append(Mail(edge.to, edge.side, its))
    return parcels
