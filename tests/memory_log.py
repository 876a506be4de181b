"""A log in memory that drives a session: entries, cut into ticks anywhere."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.totals import in_totals
from engine.partitions.in_place import InPlace
from engine.partitions.operator import Carry
from engine.plan.expressions import compiled
from engine.plan.leaves import Leaf, StreamFragment, TotalFragment, Totalled, Windowed
from engine.plan.windows import reach
from engine.session import Session
from engine.views.view import Delta, Snapshot
from federated.optimizer import FederatedOptimizer

ORIGIN = 1_700_000_000_000_000


class Change(NamedTuple):
    """A base row, inserted or deleted."""

    relation: str
    sign: int
    row: Row


class Entry(NamedTuple):
    """A log entry: how long after the one before, and what it decodes to; nothing, of a clock's."""

    gap: int
    changes: Sequence[Change] = ()


class MemoryLog:
    """Entries with offsets from 1, their readings, and what a site would make of them."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.readings: list[Reading] = []
        self.stamps: list[int] = [ORIGIN]
        for entry in entries:
            self.append(entry)

    def __repr__(self) -> str:
        return "\n".join(map(str, self.readings))

    def append(self, entry: Entry) -> int:
        at, offset = self.stamps[-1] + entry.gap, len(self.stamps)
        self.stamps.append(at)
        self.readings += [
            Reading(change.relation, change.sign, change.row, offset, ordinal, at)
            for ordinal, change in enumerate(entry.changes)
        ]
        return offset

    def write(self, gap: int, relation: str, *rows: Row, sign: int = 1) -> int:
        """Append one entry of rows of one relation."""
        return self.append(Entry(gap, [Change(relation, sign, row) for row in rows]))

    @property
    def end(self) -> int:
        return len(self.stamps) - 1

    def prefix(self, end: int) -> list[Reading]:
        return [reading for reading in self.readings if reading.offset <= end]

    def fragment(self, fragment: StreamFragment, start: int, end: int) -> list[Reading]:
        """What Spark's pass yields for one fragment."""
        keeps = compiled(fragment.predicate) if fragment.predicate else lambda _: True
        return [
            reading
            for reading in self.readings
            if start < reading.offset <= end
            and reading.relation == fragment.relation
            and keeps(reading.row) is True
        ]

    def piece(self, fragment: StreamFragment, start: int, end: int) -> list[Reading]:
        """What a tick brings to a fragment: its rows, or what they amount to."""
        rows = self.fragment(fragment, start, end)
        return in_totals(fragment, rows) if isinstance(fragment, TotalFragment) else rows

    def history(self, leaf: Leaf, end: int, at: int) -> list[Reading]:
        """What was received since the window may reach back, and no more; a table misses nothing."""
        if not isinstance(leaf, Windowed | Totalled):
            return []
        back = reach(leaf.relation, leaf.window, leaf.sample if isinstance(leaf, Windowed) else None)
        found = self.fragment(leaf.fragment, 0, end)
        return found if back is None else [reading for reading in found if reading.at > at - back]

    def session(
        self,
        catalog: Catalog,
        budget: Budget | None = None,
        optimizer: FederatedOptimizer | None = None,
        carry: Carry = InPlace,
    ) -> Session:
        return Session(catalog, optimizer or FederatedOptimizer(), self.history, budget, carry=carry)

    def tick(
        self, session: Session, end: int | None = None, known: Iterable[StreamFragment] | None = None
    ) -> list[Delta]:
        """Close a tick that reads up to ``end``, or all there is, by a pass that knew these fragments."""
        end = self.end if end is None else end
        start = session.stamp.offset
        asked = session.fragments() if known is None else known
        pieces = {fragment: self.piece(fragment, start, end) for fragment in asked}
        deltas = session.advance(end, self.stamps[end], pieces)
        session.adapt()
        return deltas


def rows_of(session: Session, view: str) -> Counter[Row]:
    return counted(session.snapshot(view))


def counted(snapshot: Snapshot) -> Counter[Row]:
    """How often each row is there; in an order that only the query knows, a row may be said twice."""
    found: Counter[Row] = Counter()
    for row, count in snapshot.rows:
        found[row] += count
    return found


def applied(snapshot: Snapshot, deltas: Iterable[Delta]) -> Counter[Row]:
    """What a subscriber holds after a snapshot and every later delta, checked for gaps."""
    held, tick = counted(snapshot), snapshot.tick
    for delta in deltas:
        assert delta.after == tick < delta.tick
        assert delta.changes
        tick = delta.tick
        for row, count in delta.changes:
            held[row] += count
            assert held[row] >= 0
    return +held
