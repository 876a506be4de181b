"""Algebras that are evaluated and never maintained alone: a deletion cannot reach them.

    tropical   (ℝ≥0 ∪ {∞}, min, +, ∞, 0)     the cost of the cheapest derivation

Plus forgets the loser, and nothing says which token the winner depends on; so the value is computed
from absorption or Why provenance, which a deletion does reach (``evaluate``). Another such algebra
is one more value of ``Evaluated``: fuzzy is ``Evaluated(0.0, 1.0, max, min)``.

References:
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

A = TypeVar("A")


@dataclass(frozen=True)
class Evaluated(Generic[A]):
    """A commutative semiring given by its constants and operations."""

    zero: A
    one: A
    plus: Callable[[A, A], A]
    times: Callable[[A, A], A]

    def is_zero(self, annotation: A, /) -> bool:
        return annotation == self.zero

    def size(self, annotation: A, /) -> int:
        return 8


TROPICAL: Evaluated[float] = Evaluated(math.inf, 0.0, min, operator.add)
