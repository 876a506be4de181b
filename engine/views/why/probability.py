"""How likely a factor holds, if base rows are there independently of each other.

    P(x ? high : low)  =  (1 - p) · P(low)  +  p · P(high)        p the chance of x

A BDD's paths exclude each other, so this is exact, a sum over its nodes; a single derivation is a product.
Where the BDD is out of reach, derivations that share no base row bound it from below, and cuts that share
none from above:

    1 - Π over derivations (1 - Π p)   <=   P   <=   Π over cuts (1 - Π (1 - p))

References:
    Darwiche. Modeling and Reasoning with Bayesian Networks. Cambridge 2009 (weighted model counts).
    Ball, Colbourn, Provan. Network Reliability. Handbooks in OR & MS 7, 1995 (packing bounds).
"""

from collections.abc import Callable, Hashable, Iterator
from itertools import islice
from math import prod
from typing import NamedTuple, TypeVar

from engine.provenance.absorption import Absorption
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.factor import Factor

T = TypeVar("T", bound=Hashable)
Chance = Callable[[T], float]

EXACT_PART = 0.8  # of the effort, before bounds have to do
SOME = 256  # derivations, and cuts, that bounds are taken from


class Range(NamedTuple):
    """A probability, or what it lies between."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


def probability_of(factor: Factor[T], chance: Chance[T], effort: Effort) -> Range:
    if factor.is_complete and factor.count == 1:
        only = prod(map(chance, factor.shortest))
        return Range(only, only)
    if factor.is_complete:
        try:
            with effort.part(EXACT_PART) as part:
                exact = _summed(factor, chance, part)
        except Exhausted:
            pass
        else:
            return Range(exact, exact)
    derivations, cuts = _disjoint(factor.derivations()), _disjoint(factor.cuts(effort))
    missing = [1 - prod(map(chance, derivation)) for derivation in derivations]
    holding = [1 - prod(1 - chance(row) for row in cut) for cut in cuts]
    return Range(1 - prod(missing), prod(holding))


def _summed(factor: Factor[T], chance: Chance[T], effort: Effort) -> float:
    rows = factor.base_rows()
    number = {row: place for place, row in enumerate(rows)}
    algebra = Absorption()
    for place in range(len(rows)):
        algebra.token(place)
    root, entries = algebra.to_plain(factor.to_diagram(algebra, number.__getitem__, effort))
    values = [0.0, 1.0]
    chances = [chance(row) for row in rows]
    for token, low, high in entries:
        values.append((1 - chances[token]) * values[low] + chances[token] * values[high])
    return values[root]


def _disjoint(sets: Iterator[frozenset[T]]) -> list[frozenset[T]]:
    """Return some of the first sets that have nothing in common, as far as the effort goes."""
    taken: set[T] = set()
    chosen: list[frozenset[T]] = []
    try:
        for each in islice(sets, SOME):
            if taken.isdisjoint(each):
                chosen.append(each)
                taken |= each
    except Exhausted:
        pass
    return chosen
