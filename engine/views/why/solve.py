"""Minimal derivations of a fact from ground rules, best first.

    D(f)  =  the least sets of   ∪ over the bodies of f   { d₁ ∪ … ∪ dₙ : dᵢ ∈ D(bᵢ) }        from below

Kleene's iteration over antichains of base rows, each a bit set. At first every fact keeps its one
smallest derivation only, then the sixteen smallest, and so on; once nothing had to be dropped the
result is exact. So when the effort runs out the smaller derivations are there, though what they
were combined from was not complete and some may need a base row too many.

References:
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007 (PosBool over recursive programs).
    Huang, Chiang. Better k-best Parsing. IWPT 2005: the k best derivations of a hypergraph.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.views.why.effort import Effort, Exhausted
from engine.views.why.ground import Body, Number

KEPT = (1, 16, 256, 4096, 65536)

Rules = Mapping[Number, Sequence[Body]]
Mask = int


class Solution(NamedTuple):
    """Derivations as bit sets of base rows: all that are minimal, or some of the smaller ones."""

    derivations: list[Mask]
    is_complete: bool


def solve(root: Number, rules: Rules, base: Mapping[Number, int], effort: Effort) -> Solution:
    """Return the derivations of a fact; ``base`` gives each base row its bit. There is one."""
    sets = first_derivations(rules, base)
    try:
        for kept in KEPT:
            if iterate(sets, rules, kept, effort):
                return Solution(sets[root], True)
    except Exhausted:
        pass
    return Solution(sets[root], False)


def first_derivations(rules: Rules, base: Mapping[Number, int]) -> dict[Number, list[Mask]]:
    """Return one derivation of each fact, by forward chaining; facts come after what they need."""
    sets: dict[Number, list[Mask]] = {fact: [1 << bit] for fact, bit in base.items()}
    users: dict[Number, list[Number]] = {}
    for head, bodies in rules.items():
        for body in bodies:
            for part in body:
                users.setdefault(part, []).append(head)
    ready = [head for head, bodies in rules.items() if () in bodies]
    ready += [head for fact in base for head in users.get(fact, ())]
    for head in ready:
        firing = [body for body in rules[head] if all(part in sets for part in body)]
        if firing and head not in sets:
            sets[head] = [union(sets[part][0] for part in firing[0])]
            ready += users.get(head, ())
    return sets


def iterate(sets: dict[Number, list[Mask]], rules: Rules, kept: int, effort: Effort) -> bool:
    """Let every fact keep so many derivations until nothing changes; tell whether that were all."""
    users: dict[Number, set[Number]] = {}
    for head, bodies in rules.items():
        for body in bodies:
            for part in body:
                users.setdefault(part, set()).add(head)
    dropping: set[Number] = set()
    waiting = dict.fromkeys(head for head in sets if rules.get(head))
    while waiting:
        head = next(iter(waiting))
        del waiting[head]
        found = [mask for body in rules[head] for mask in products(body, sets, effort)]
        every = least(found + sets[head], effort)
        (dropping.add if len(every) > kept else dropping.discard)(head)
        if every[:kept] != sets[head]:
            sets[head] = every[:kept]
            waiting.update(dict.fromkeys(user for user in users.get(head, ()) if user in sets))
    return not dropping


def products(body: Body, sets: Mapping[Number, list[Mask]], effort: Effort) -> list[Mask]:
    """Return the unions of one derivation of each part; none where a part has none."""
    found = [0]
    for part in body:
        of_part = sets.get(part, [])
        effort.spend(1 + len(found) * len(of_part))
        found = least([mask | other for mask in found for other in of_part], effort)
    return found


def least(masks: Iterable[Mask], effort: Effort) -> list[Mask]:
    """Return the sets that contain no other, the smaller first."""
    kept: list[Mask] = []
    for mask in sorted(set(masks), key=lambda mask: (mask.bit_count(), mask)):
        effort.spend(1 + len(kept) // 16)
        if not any([smaller & mask == smaller for smaller in kept]):
            kept.append(mask)
    return kept


def union(masks: Iterable[Mask]) -> Mask:
    total = 0
    for mask in masks:
        total |= mask
    return total
