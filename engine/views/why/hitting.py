"""Minimal hitting sets: what has an element in common with every set, and no proper part has.

The minimal cuts of a row are the minimal hitting sets of its minimal derivations, and the other way
round. Elements are chosen for one set after the other that is not hit yet; each chosen element must
stay the only one that hits some set (is critical for it), and elements once passed over come back
only behind those chosen instead of them, so that no hitting set is found twice.

References:
    Murakami, Uno. Efficient Algorithms for Dualizing Large-Scale Hypergraphs. Discrete Applied
    Mathematics 2014 (MMCS).
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from engine.views.why.effort import Effort
from engine.views.why.web import bits

T = TypeVar("T", bound=Hashable)
LOOKED_AT = 32  # missed sets among which the one with the fewest candidates is taken


class Partial(NamedTuple):
    """Elements chosen, the sets for which each is critical, sets not hit, elements that may follow."""

    chosen: tuple[int, ...]
    critical: tuple[int, ...]
    missed: int
    candidates: int


def minimal_hitting_sets(sets: Sequence[frozenset[T]], effort: Effort) -> Iterator[frozenset[T]]:
    """Yield every minimal hitting set once; nothing where one of the sets is empty."""
    elements = sorted({element for each in sets for element in each}, key=repr)
    number = {element: place for place, element in enumerate(elements)}
    members = [sum(1 << number[element] for element in each) for each in sets]
    hit = [0] * len(elements)
    for place, each in enumerate(members):
        for element in bits(each):
            hit[element] |= 1 << place
    waiting = [Partial((), (), (1 << len(sets)) - 1, (1 << len(elements)) - 1)]
    while waiting:
        partial = waiting.pop()
        effort.spend(1 + len(partial.chosen))
        if not partial.missed:
            yield frozenset([elements[place] for place in partial.chosen])
        else:
            waiting += _extended(partial, members, hit)


def _extended(partial: Partial, members: list[int], hit: list[int]) -> Iterator[Partial]:
    """Yield what follows when each of some missed set's elements is chosen."""
    some = islice(bits(partial.missed), LOOKED_AT)
    least = min(some, key=lambda place: (members[place] & partial.candidates).bit_count())
    choices = members[least] & partial.candidates
    candidates = partial.candidates & ~choices
    for element in bits(choices):
        critical = tuple([sets & ~hit[element] for sets in partial.critical])
        if all(critical):
            yield Partial(
                (*partial.chosen, element),
                (*critical, partial.missed & hit[element]),
                partial.missed & ~hit[element],
                candidates,
            )
            candidates |= 1 << element
