"""Witness provenance: one derivation of a row, the tokens it needs; what lazy shipping holds.

    plus keeps what it holds      times = ∪      retract drops the derivation with a dead token

It is weaker than a semiring, and an operator must not lean on what it has not:

    plus is associative and idempotent, but a choice: plus(a, b) and plus(b, a) are both derivations
    of the same row, not equal ones; times distributes over plus because the choice is the left one
    retract is no homomorphism: plus(a, b) has forgotten b, so that without a nothing is left, where
    retract(a) + retract(b) would be b

So a witness that is lost says *look for another*, never *underivable*: whoever maintains it keeps
the alternatives elsewhere (the join state, the buffer of a ship operator) and releases one of them.
It is sound: the tokens of what is held are alive and derive the row.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section V (MinShip).
"""

from collections.abc import Collection, Iterable

from engine.provenance.algebra import Token

Derivation = frozenset[Token] | None
PlainDerivation = tuple[Token, ...] | None

TOKEN_BYTES = 4


class Witness:
    """At most one derivation; None is zero."""

    zero: Derivation = None
    one: Derivation = frozenset()

    def plus(self, left: Derivation, right: Derivation, /) -> Derivation:
        return right if left is None else left

    def times(self, left: Derivation, right: Derivation, /) -> Derivation:
        return None if left is None or right is None else left | right

    def is_zero(self, annotation: Derivation, /) -> bool:
        return annotation is None

    def size(self, annotation: Derivation, /) -> int:
        return 0 if annotation is None else TOKEN_BYTES * (1 + len(annotation))

    def token(self, token: Token, /) -> Derivation:
        return frozenset([token])

    def retract(self, annotation: Derivation, dead: Collection[Token], /) -> Derivation:
        return annotation if annotation is None or annotation.isdisjoint(dead) else None

    def support(self, annotation: Derivation, /) -> frozenset[Token]:
        return annotation or frozenset()

    def recycle(self, tokens: Iterable[Token]) -> None:
        """Nothing is kept by token."""

    def to_plain(self, annotation: Derivation, /) -> PlainDerivation:
        return None if annotation is None else tuple(sorted(annotation))

    def from_plain(self, plain: PlainDerivation, /) -> Derivation:
        return None if plain is None else frozenset(plain)
