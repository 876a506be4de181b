"""What decoding the log yields: one base row, inserted or deleted, with its durable identity.

    identity of a base row  =  (offset, ordinal)

``offset`` is the log entry's, ``ordinal`` the row's place in it; both are for ever.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from engine.model.relation import Relation
from engine.model.values import Row


class Reading(NamedTuple):
    """A base row as decoded: ``sign`` is +1 or -1, ``at`` the stamp of the log entry.

    From another site it may be 0: there is no row, but something was said (``engine.operators``).
    """

    relation: str
    sign: int
    row: Row
    offset: int
    ordinal: int
    at: int


class Batch(NamedTuple):
    """Everything decoded from the log entries after some offset, up to and including ``end``.

    ``declared`` are the relations that came to be while the log was written.
    """

    readings: Sequence[Reading]
    end: int
    at: int
    declared: tuple[Relation, ...] = ()


class Reader(Protocol):
    """Reads and decodes a bounded piece of the log; travels to where the log is read."""

    def read(self, start: int) -> Batch:
        """Return what follows ``start``; ``end == start`` says that there is nothing yet."""
        ...
