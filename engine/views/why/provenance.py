"""Why a row is there: conditions that must all hold, each by its minimal derivations.

    provenance  =  factor₁ ∧ … ∧ factorₖ      no two factors share a base row
    a minimal derivation   is one of each factor, taken together
    a minimal cut          is one of any factor: what would remove the row
    probability            is the product of the factors', each summed over its BDD

The product of the factors is never multiplied out; derivations are streamed from it. What the
effort did not reach is said: ``is_truncated``, and a probability is then a range.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Generic, TypeVar

from engine.provenance.absorption import Absorption
from engine.provenance.bdd import Node
from engine.views.why.effort import Effort
from engine.views.why.factor import Factor, Numbering
from engine.views.why.probability import Range, probability_of

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Provenance(Generic[T]):
    """The provenance of a row over base rows of type T; without factors the row always holds."""

    factors: tuple[Factor[T], ...]

    @property
    def is_truncated(self) -> bool:
        """Tell whether there may be derivations that are not known."""
        return not all(factor.is_complete for factor in self.factors)

    @property
    def count(self) -> int:
        """How many minimal derivations are known."""
        return prod(factor.count for factor in self.factors)

    @property
    def witness(self) -> frozenset[T]:
        """A derivation of the fewest base rows."""
        return frozenset().union(*[factor.shortest for factor in self.factors])

    def derivations(self) -> Iterator[frozenset[T]]:
        """Yield the minimal derivations, one after the other; there may be very many."""
        streams = [factor.derivations() for factor in self.factors]
        chosen = [next(stream) for stream in streams]
        while True:
            yield frozenset().union(*chosen)
            last = len(streams) - 1
            while last >= 0:
                following = next(streams[last], None)
                if following is not None:
                    chosen[last] = following
                    break
                streams[last] = self.factors[last].derivations()
                chosen[last] = next(streams[last])
                last -= 1
            if last < 0:
                return

    def cuts(self, effort: Effort) -> Iterator[frozenset[T]]:
        """Yield minimal cuts: sets of base rows without which the row is not there."""
        for factor in self.factors:
            yield from factor.cuts(effort)

    def smallest_cut(self, effort: Effort) -> frozenset[T] | None:
        """Return a cut of the fewest base rows; None where there is none, or none is known."""
        cuts = [factor.smallest_cut(effort) for factor in self.factors]
        return min([cut for cut in cuts if cut is not None], key=len, default=None)

    def to_diagram(self, algebra: Absorption, number: Numbering[T], effort: Effort) -> Node:
        """Return the absorption provenance as one BDD."""
        diagrams = [factor.to_diagram(algebra, number, effort) for factor in self.factors]
        return reduce(algebra.times, diagrams, algebra.one)

    def probability(self, chance: Callable[[T], float], effort: Effort) -> Range:
        """Return how likely the row is, if base rows are there independently, each with its chance.

        The easy factors come first, so that a hard one does not leave them without effort.
        """
        easy_first = sorted(self.factors, key=lambda factor: (not factor.is_complete, factor.count))
        ranges = [probability_of(factor, chance, effort) for factor in easy_first]
        return Range(prod(each.low for each in ranges), prod(each.high for each in ranges))
