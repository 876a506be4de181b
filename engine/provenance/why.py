"""Why provenance: the minimal sets of base tokens that derive a row (PosBool as sets of sets).

    zero = {}      one = {∅}      plus = ∪, then minimal      times = all unions a ∪ b, then minimal

No set of an annotation contains another: a derivation that needs more than some other is absorbed.
The same function as absorption's BDD, without a manager and readable as it is; but a product of
sums is multiplied out, so it can be exponentially larger.

References:
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007 (PosBool, Why).
    Buneman, Khanna, Tan. Why and Where: A Characterization of Data Provenance. ICDT 2001
    (minimal witness basis).
"""

from collections.abc import Collection, Iterable

from engine.provenance.algebra import Token

Monomial = frozenset[Token]
Antichain = frozenset[Monomial]
PlainAntichain = tuple[tuple[Token, ...], ...]

TOKEN_BYTES = 4


def minimal(sets: Iterable[Monomial]) -> Antichain:
    """Return the sets that contain no other."""
    kept: list[Monomial] = []
    for candidate in sorted(set(sets), key=len):
        if not any(smaller <= candidate for smaller in kept):
            kept.append(candidate)
    return frozenset(kept)


class Why:
    """The restricting algebra of minimal antichains."""

    zero: Antichain = frozenset()
    one: Antichain = frozenset([frozenset()])

    def plus(self, left: Antichain, right: Antichain, /) -> Antichain:
        return minimal(left | right) if left and right else left or right

    def times(self, left: Antichain, right: Antichain, /) -> Antichain:
        return minimal(a | b for a in left for b in right)

    def is_zero(self, annotation: Antichain, /) -> bool:
        return not annotation

    def size(self, annotation: Antichain, /) -> int:
        """Return bytes: a length and its tokens for each set."""
        return sum(TOKEN_BYTES * (1 + len(monomial)) for monomial in annotation)

    def token(self, token: Token, /) -> Antichain:
        return frozenset([frozenset([token])])

    def retract(self, annotation: Antichain, dead: Collection[Token], /) -> Antichain:
        return frozenset(monomial for monomial in annotation if monomial.isdisjoint(dead))

    def support(self, annotation: Antichain, /) -> frozenset[Token]:
        return frozenset().union(*annotation)

    def recycle(self, tokens: Iterable[Token]) -> None:
        """Nothing is kept by token."""

    def to_plain(self, annotation: Antichain, /) -> PlainAntichain:
        return tuple(sorted(tuple(sorted(monomial)) for monomial in annotation))

    def from_plain(self, plain: PlainAntichain, /) -> Antichain:
        return frozenset(map(frozenset, plain))
