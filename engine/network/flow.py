"""How rows run through one site's share of a program's joins, whatever annotates them.

    relation's row ──▶ outlets ──▶ join ──▶ outlet ──▶ … ──▶ head: derived here, wanted at its owner

What stays at the site goes on within the same step; what leaves it is a parcel. What is done with a
derived row, and with one that reached its owner, is the maintenance scheme's own.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from engine.model.values import Row, Value
from engine.network.channels import Address
from engine.network.placement import Owner
from engine.network.wiring import Head, Outlet, Port, Wiring, first_value
from engine.operators.delta import Delta, add
from engine.operators.join import Join
from engine.provenance.algebra import Algebra

A = TypeVar("A")


class Parcel(NamedTuple, Generic[A]):
    """Rows for a port at another site."""

    receiver: Address
    port: Port
    rows: Delta[A]


class Arrival(NamedTuple, Generic[A]):
    """Rows at a port of this site, and which site they came from."""

    sender: Address
    port: Port
    rows: Delta[A]


@dataclass
class Work(Generic[A]):
    """A local step: what is still to do at this site, and what it sends to others."""

    here: deque[Arrival[A]] = field(default_factory=deque)
    parcels: list[Parcel[A]] = field(default_factory=list)


class Flow(ABC, Generic[A]):
    """The joins of one site, and the way between them."""

    def __init__(
        self, address: Address, wiring: Wiring, owner: Owner, algebra: Algebra[A], joins: Sequence[Join[A]]
    ) -> None:
        self.address = address
        self._wiring = wiring
        self._owner = owner
        self._algebra = algebra
        self._joins = joins

    @abstractmethod
    def derived(self, work: Work[A], relation: int, rows: Delta[A]) -> None:
        """Take rows of a relation that were derived here."""

    @abstractmethod
    def arrived(self, work: Work[A], sender: Address, relation: int, rows: Delta[A]) -> None:
        """Take derived rows that this site owns."""

    def arrive(self, sender: Address, port: Port, rows: Delta[A]) -> list[Parcel[A]]:
        """Take rows that another site sent to a port."""
        return self.finish(Work(deque([Arrival(sender, port, rows)])))

    def change(self, relation: int, rows: Delta[A]) -> list[Parcel[A]]:
        """Take changed rows of a relation that live here."""
        work: Work[A] = Work()
        self.offer(work, relation, rows)
        return self.finish(work)

    def finish(self, work: Work[A]) -> list[Parcel[A]]:
        """Do all that can be done at this site."""
        while work.here:
            sender, port, rows = work.here.popleft()
            if isinstance(port, Head):
                self.arrived(work, sender, port.relation, rows)
            else:
                join = self._joins[port.join]
                output = join.step({}, rows) if port.is_right else join.step(rows, {})
                self._emit(work, self._wiring.joins[port.join].outlet, output)
        return work.parcels

    def offer(self, work: Work[A], relation: int, rows: Delta[A]) -> None:
        """Bring rows of a relation to all that need them."""
        for outlet in self._wiring.outlets[relation] if rows else ():
            self._emit(work, outlet, rows)

    def send_home(self, work: Work[A], relation: int, rows: Delta[A]) -> None:
        """Send derived rows to their owners."""
        self._send(work, Head(relation), {row: (first_value(row), a) for row, a in rows.items()})

    def _emit(self, work: Work[A], outlet: Outlet, rows: Delta[A]) -> None:
        if isinstance(outlet.port, Head):
            output: Delta[A] = {}
            for row, annotation in rows.items():
                derived = outlet.sent(row)
                if derived is not None:
                    add(output, derived, annotation, self._algebra)
            self.derived(work, outlet.port.relation, output)
            return
        placed = {row: (outlet.place(row), a) for row, a in rows.items() if outlet.sent(row) is not None}
        self._send(work, outlet.port, placed)

    def _send(self, work: Work[A], port: Port, placed: dict[Row, tuple[Value, A]]) -> None:
        """Split rows by the owner of each: this site, or a parcel."""
        parts: dict[Address, Delta[A]] = {}
        for row, (place, annotation) in placed.items():
            parts.setdefault(self._owner(place), {})[row] = annotation
        for receiver, part in parts.items():
            if receiver == self.address:
                work.here.append(Arrival(self.address, port, part))
            else:
                work.parcels.append(Parcel(receiver, port, part))
