"""One logical site: its share of every relation and of every join, for a restricting algebra.

    rows at a port ──▶ join ──▶ … ──▶ MinShip ──▶ owner's AggSel ──▶ Fixpoint ──▶ where it is needed
    dead tokens    ──▶ all of them, in one local step: first restrict, then send what that releases

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, sections III to VII.
"""

from collections.abc import Collection, Iterator
from typing import Any, Protocol, TypeVar

from engine.model.values import Row
from engine.network.channels import Address, row_size
from engine.network.flow import Flow, Parcel, Work
from engine.network.placement import Owner
from engine.network.wiring import Wiring
from engine.operators.aggsel import AggSel
from engine.operators.budget import Budget
from engine.operators.delta import Delta
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


class Site(Flow[A]):
    """A site; without a policy derived rows are shipped as they are derived."""

    def __init__(
        self, address: Address, wiring: Wiring, owner: Owner, algebra: Portable[A], policy: Policy | None
    ) -> None:
        self.algebra = algebra
        self.tombstones = stones = Tombstones(algebra)
        budget = Budget()
        self._retractable = [
            RetractableJoin(algebra, join.left_key, join.right_key, stones, budget) for join in wiring.joins
        ]
        super().__init__(address, wiring, owner, algebra, self._retractable)
        defined = list(enumerate(wiring.program.definitions, len(wiring.program.inputs)))
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

    def derived(self, work: Work[A], relation: int, rows: Delta[A]) -> None:
        self.send_home(work, relation, self._ships[relation].step(rows))

    def arrived(self, work: Work[A], sender: Address, relation: int, rows: Delta[A]) -> None:
        selector = self._selections.get(relation)
        if selector is None:
            self._take(work, relation, rows, ())
        else:
            selection = selector.step(rows)
            self._take(work, relation, selection.inserts, selection.suppressed)

    def retract(self, dead: Collection[Token]) -> list[Parcel[A]]:
        """Restrict all that is held here; then send what a dead first derivation had kept back."""
        released = {relation: ship.retract(dead) for relation, ship in self._ships.items()}
        for join in self._retractable:
            join.retract(dead)
        chosen = {relation: each.retract(dead) for relation, each in self._selections.items()}
        for fixpoint in self.fixpoints.values():
            fixpoint.retract(dead)
        work: Work[A] = Work()
        for relation, selection in chosen.items():
            self._take(work, relation, selection.inserts, selection.suppressed)
        for relation, rows in released.items():
            self.send_home(work, relation, rows)
        return self.finish(work)

    def flush(self) -> list[Parcel[A]]:
        """Send all that waits, and what comes to wait because of it."""
        work: Work[A] = Work()
        while released := {
            relation: rows for relation, ship in self._ships.items() if (rows := ship.flush())
        }:
            for relation, rows in released.items():
                self.send_home(work, relation, rows)
            self.finish(work)
        return work.parcels

    def advance(self, now: float) -> list[Parcel[A]]:
        """Send what has waited long enough."""
        work: Work[A] = Work()
        for relation, ship in self._ships.items():
            self.send_home(work, relation, ship.advance(now))
        return self.finish(work)

    def held(self) -> Iterator[tuple[Row, A]]:
        """Yield everything that the operators of this site hold."""
        for join in self._retractable:
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

    def _take(self, work: Work[A], relation: int, rows: Delta[A], suppressed: Collection[Row]) -> None:
        fixpoint = self.fixpoints[relation]
        fresh = fixpoint.step(rows)
        fixpoint.suppress(suppressed)
        self.offer(work, relation, fresh)
