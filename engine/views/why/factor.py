"""A factor of a row's provenance: one of several conditions that must all hold.

    provenance(row)  =  factor₁ ∧ factor₂ ∧ …        factor  =  derivation₁ ∨ derivation₂ ∨ …

``SetFactor`` lists its derivations, ``paths_factor.PathsFactor`` keeps the paths of one block as
states. A factor that is not complete knows some of its derivations only.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from engine.provenance.absorption import Absorption
from engine.provenance.algebra import Token
from engine.provenance.bdd import Node
from engine.views.why.effort import Effort
from engine.views.why.hitting import minimal_hitting_sets

T = TypeVar("T", bound=Hashable)
T_co = TypeVar("T_co", bound=Hashable, covariant=True)
Numbering = Callable[[T], Token]
NODE_STEPS = 32  # a BDD operation costs as much as so many other steps


class Factor(Protocol[T_co]):
    """A monotone condition on base rows, by its minimal derivations and its minimal cuts."""

    @property
    def is_complete(self) -> bool: ...

    @property
    def count(self) -> int:
        """How many minimal derivations are known."""
        ...

    @property
    def shortest(self) -> frozenset[T_co]:
        """A derivation of the fewest base rows."""
        ...

    def base_rows(self) -> Sequence[T_co]:
        """Return the base rows, in an order that suits a BDD."""
        ...

    def derivations(self) -> Iterator[frozenset[T_co]]: ...
    def cuts(self, effort: Effort) -> Iterator[frozenset[T_co]]: ...
    def smallest_cut(self, effort: Effort) -> frozenset[T_co] | None: ...
    def to_diagram(self, algebra: Absorption, number: Numbering[T_co], effort: Effort) -> Node: ...


class SetFactor(Generic[T]):
    """Derivations, listed; none contains another, and there is one."""

    def __init__(self, derivations: Sequence[frozenset[T]], *, is_complete: bool = True) -> None:
        self._derivations = sorted(derivations, key=len)
        self._is_complete = is_complete

    @property
    def is_complete(self) -> bool:
        return self._is_complete

    @property
    def count(self) -> int:
        return len(self._derivations)

    @property
    def shortest(self) -> frozenset[T]:
        return self._derivations[0]

    def base_rows(self) -> list[T]:
        return list(dict.fromkeys(row for derivation in self._derivations for row in derivation))

    def derivations(self) -> Iterator[frozenset[T]]:
        yield from self._derivations

    def cuts(self, effort: Effort) -> Iterator[frozenset[T]]:
        """Yield what hits every derivation; where some are not known these are no cuts, so none."""
        if self._is_complete:
            yield from minimal_hitting_sets(self._derivations, effort)

    def smallest_cut(self, effort: Effort) -> frozenset[T] | None:
        """Return the smallest of all; in the worst case as long as listing them."""
        return min(self.cuts(effort), key=len, default=None)

    def to_diagram(self, algebra: Absorption, number: Numbering[T], effort: Effort) -> Node:
        """Build each product, then add them two by two, so that most sums stay small."""
        sums = [self._product(derivation, algebra, number, effort) for derivation in self._derivations]
        while len(sums) > 1:
            effort.spend(NODE_STEPS * (len(sums) // 2))
            odd = sums[-1:] if len(sums) % 2 else []
            sums = [algebra.plus(a, b) for a, b in zip(sums[::2], sums[1::2], strict=False)] + odd
        return sums[0]

    def _product(self, rows: frozenset[T], algebra: Absorption, number: Numbering[T], effort: Effort) -> Node:
        effort.spend(NODE_STEPS)
        product = algebra.one
        for row in rows:
            product = algebra.times(product, algebra.token(number(row)))
        return product
