"""One logical site: its share of every relation and of every join, for a restricting algebra.

    rows at a port ──▶ join ──▶ … ──▶ MinShip ──▶ owner's AggSel ──▶ Fixpoint ──▶ where it is needed
    dead tokens    ──▶ all of them, in one local step: first restrict, then send what that releases

What stays at the site goes on within the same step; what leaves it is a parcel.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, sections III to VII.
"""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from engine.model.values import Row
from engine.network.channels import Address, row_size
from engine.network.placement import Owner
from engine.network.wiring import Head, Outlet, Port, Wiring
from engine.operators.aggsel import AggSel
from engine.operators.budget import Budget
from engine.operators.delta import Delta, add
from engine.operators.fixpoint import Fixpoint
from engine.operators.join import RetractableJoin
from engine.operators.ship import MinShip, Policy, Ship
from engine.operators.tombstones import Tombstones
from engine.provenance.algebra import Restricting, Token

A = TypeVar("A")


class Portable(Restricting[A], Protocol[A]):
    """A restricting algebra whose annotations have a form outside of their instance."""

    def to_plain(self, annotation: A, /) -> Any: ...
    def from_plain(self, plain: Any, /) -> A: ...
    def recycle(self, tokens: Collection[Token], /) -> None: ...


class Parcel(NamedTuple, Generic[A]):
    """Rows for a port at another site."""

    receiver: Address
    port: Port
    rows: Delta[A]


@dataclass
class Work(Generic[A]):
    """A local step: what is still to do at this site, and what it sends to others."""

    here: deque[tuple[Port, Delta[A]]] = field(default_factory=deque)
    parcels: list[Parcel[A]] = field(default_factory=list)


class Site(Generic[A]):
    """A site; without a policy derived rows are shipped as they are derived."""

    def __init__(
        self, address: Address, wiring: Wiring, owner: Owner, algebra: Portable[A], policy: Policy | None
    ) -> None:
        self.algebra = algebra
        self.tombstones = Tombstones(algebra)
        self._address = address
        self._wiring = wiring
        self._owner = owner
        budget, stones = Budget(), self.tombstones
        self._joins = [
            RetractableJoin(algebra, join.left_key, join.right_key, stones, budget) for join in wiring.joins
        ]
        program = wiring.program
        defined = list(enumerate(program.definitions, len(program.inputs)))
        self._ships: dict[int, Ship[A]] = {
            relation: Ship() if policy is None else MinShip(algebra, stones, policy)
            for relation, _ in defined
        }
        self._selections = {
            relation: AggSel(algebra, stones, definition.group, definition.best)
            for relation, definition in defined
            if definition.best
        }
        self.fixpoints = {relation: Fixpoint(algebra, stones, budget) for relation, _ in defined}

    def insert(self, relation: int, rows: Delta[A]) -> list[Parcel[A]]:
        """Take new base rows that live here."""
        work: Work[A] = Work()
        self._offer(work, relation, rows)
        return self._finish(work)

    def arrive(self, port: Port, rows: Delta[A]) -> list[Parcel[A]]:
        """Take rows that another site sent to a port."""
        return self._finish(Work(deque([(port, rows)])))

    def retract(self, dead: Collection[Token]) -> list[Parcel[A]]:
        """Restrict all that is held here; then send what a dead first derivation had kept back."""
        released = {relation: ship.retract(dead) for relation, ship in self._ships.items()}
        for join in self._joins:
            join.retract(dead)
        chosen = {relation: each.retract(dead) for relation, each in self._selections.items()}
        for fixpoint in self.fixpoints.values():
            fixpoint.retract(dead)
        work: Work[A] = Work()
        for relation, selection in chosen.items():
            self._take(work, relation, selection.inserts, selection.suppressed)
        for relation, rows in released.items():
            self._send(work, Head(relation), rows)
        return self._finish(work)

    def flush(self) -> list[Parcel[A]]:
        """Send all that waits, and what comes to wait because of it."""
        work: Work[A] = Work()
        while released := {
            relation: rows for relation, ship in self._ships.items() if (rows := ship.flush())
        }:
            for relation, rows in released.items():
                self._send(work, Head(relation), rows)
            self._finish(work)
        return work.parcels

    def advance(self, now: float) -> list[Parcel[A]]:
        """Send what has waited long enough."""
        work: Work[A] = Work()
        for relation, ship in self._ships.items():
            self._send(work, Head(relation), ship.advance(now))
        return self._finish(work)

    def held(self) -> Iterator[tuple[Row, A]]:
        """Yield everything that the operators of this site hold."""
        for join in self._joins:
            yield from join.held()
        for ship in self._ships.values():
            yield from ship.held()
        for selection in self._selections.values():
            yield from selection.held()
        for fixpoint in self.fixpoints.values():
            yield from fixpoint.held()

    def state_size(self) -> int:
        """Return the bytes of everything held."""
        return sum(row_size(row) + self.algebra.size(annotation) for row, annotation in self.held())

    def _finish(self, work: Work[A]) -> list[Parcel[A]]:
        while work.here:
            port, rows = work.here.popleft()
            if isinstance(port, Head):
                self._derive(work, port.relation, rows)
            else:
                join = self._joins[port.join]
                output = join.step({}, rows) if port.is_right else join.step(rows, {})
                self._emit(work, self._wiring.joins[port.join].outlet, output)
        return work.parcels

    def _derive(self, work: Work[A], relation: int, rows: Delta[A]) -> None:
        selector = self._selections.get(relation)
        if selector is None:
            self._take(work, relation, rows, ())
        else:
            selection = selector.step(rows)
            self._take(work, relation, selection.inserts, selection.suppressed)

    def _take(self, work: Work[A], relation: int, rows: Delta[A], suppressed: Collection[Row]) -> None:
        fixpoint = self.fixpoints[relation]
        fresh = fixpoint.step(rows)
        fixpoint.suppress(suppressed)
        self._offer(work, relation, fresh)

    def _offer(self, work: Work[A], relation: int, rows: Delta[A]) -> None:
        """Bring rows of a relation to all that need them."""
        for outlet in self._wiring.outlets[relation] if rows else ():
            self._emit(work, outlet, rows)

    def _emit(self, work: Work[A], outlet: Outlet, rows: Delta[A]) -> None:
        output: Delta[A] = {}
        for row, annotation in rows.items():
            sent = outlet.sent(row)
            if sent is not None:
                add(output, sent, annotation, self.algebra)
        if isinstance(outlet.port, Head):
            output = self._ships[outlet.port.relation].step(output)
        self._send(work, outlet.port, output, outlet)

    def _send(self, work: Work[A], port: Port, rows: Delta[A], outlet: Outlet | None = None) -> None:
        """Split rows by the owner of each: this site, or a parcel."""
        parts: dict[Address, Delta[A]] = {}
        for row, annotation in rows.items():
            place = outlet.place(row) if outlet is not None else row[0]
            parts.setdefault(self._owner(place), {})[row] = annotation
        for receiver, part in parts.items():
            if receiver == self._address:
                work.here.append((port, part))
            else:
                work.parcels.append(Parcel(receiver, port, part))
