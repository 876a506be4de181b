"""An estimate: a value, the bounds that it lies within, and where it comes from.

    exact      told by what it is about: the rows of a constant
    catalog    declared: devices, tables
    observed   counted while it ran
    default    guessed, the bounds a factor of ten to both sides

What is computed of several is as good as the worst of them.
"""

from typing import NamedTuple

from engine.plan.explaining import Source

GUESSED_WITHIN = 10.0
COUNTED_WITHIN = 1.25


class Estimated(NamedTuple):
    """Of a number."""

    value: float
    low: float
    high: float
    source: Source

    def times(self, other: "Estimated") -> "Estimated":
        """Return the product."""
        return Estimated(
            self.value * other.value, self.low * other.low, self.high * other.high, worse(self, other)
        )

    def plus(self, other: "Estimated") -> "Estimated":
        """Return the sum."""
        return Estimated(
            self.value + other.value, self.low + other.low, self.high + other.high, worse(self, other)
        )

    def at_most(self, bound: float) -> "Estimated":
        """Return the same, knowing that it is no more than that."""
        return Estimated(min(self.value, bound), min(self.low, bound), min(self.high, bound), self.source)

    def __str__(self) -> str:
        if self.source in (Source.EXACT, Source.CATALOG):
            return f"{self.value:,.3g} ({self.source})"
        return f"{self.value:,.3g} ({self.source}, {self.low:,.3g} to {self.high:,.3g})"


def worse(*estimates: Estimated) -> Source:
    return max((each.source for each in estimates), key=list(Source).index)


def exact(value: float) -> Estimated:
    return Estimated(value, value, value, Source.EXACT)


def declared(value: float) -> Estimated:
    return Estimated(value, value, value, Source.CATALOG)


def observed(value: float) -> Estimated:
    return Estimated(value, value / COUNTED_WITHIN, value * COUNTED_WITHIN, Source.OBSERVED)


def guessed(value: float) -> Estimated:
    return Estimated(value, value / GUESSED_WITHIN, value * GUESSED_WITHIN, Source.DEFAULT)
