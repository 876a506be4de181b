"""The protocol of an annotation algebra.

    join multiplies     union and projection add     a row whose annotation is zero is not there

Operators are written once over this protocol and get two kinds of message: rows, merged by plus,
and dead tokens. What an algebra can do decides how a deletion reaches it:

    ring          counting             a deleted row is a negative one
    restricting   absorption, Why, …   the token of a deleted base row becomes zero everywhere
    neither       tropical, fuzzy, …   evaluated from one of the above, never maintained alone

References:
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007.
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section IV.
"""

from collections.abc import Collection, Iterable
from typing import Protocol, TypeVar

A = TypeVar("A")
Token = int


class Algebra(Protocol[A]):
    """A commutative semiring; ``size`` is what an annotation weighs on a wire, in bytes."""

    zero: A
    one: A

    def plus(self, left: A, right: A, /) -> A: ...
    def times(self, left: A, right: A, /) -> A: ...
    def is_zero(self, annotation: A, /) -> bool: ...
    def size(self, annotation: A, /) -> int: ...


class Ring(Algebra[A], Protocol[A]):
    """An algebra in which every annotation has its opposite, so that a delete is an update too."""

    def negate(self, annotation: A, /) -> A: ...
    def multiplicity(self, annotation: A, /) -> int: ...


class Restricting(Algebra[A], Protocol[A]):
    """An algebra over tokens of base rows, whose plus is idempotent.

    A token is one incarnation of a base row: a row that is inserted again gets another. ``retract``
    sets dead tokens to zero. ``support`` names the tokens that an annotation depends on.
    """

    def token(self, token: Token, /) -> A: ...
    def retract(self, annotation: A, dead: Collection[Token], /) -> A: ...
    def support(self, annotation: A, /) -> Iterable[Token]: ...
