"""The protocol of an annotation algebra.

    join multiplies     union and projection add     a row whose annotation is zero is not there

Operators are written once over this protocol. A *ring* deletes by negative annotations; other
algebras (absorption, Why) will retract tokens instead.

References:
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007.
"""

from typing import Protocol, TypeVar

A = TypeVar("A")


class Algebra(Protocol[A]):
    """A commutative semiring."""

    zero: A
    one: A

    def plus(self, left: A, right: A, /) -> A: ...
    def times(self, left: A, right: A, /) -> A: ...
    def is_zero(self, annotation: A, /) -> bool: ...


class Ring(Algebra[A], Protocol[A]):
    """An algebra in which every annotation has its opposite, so that a delete is an update too."""

    def negate(self, annotation: A, /) -> A: ...
    def multiplicity(self, annotation: A, /) -> int: ...
