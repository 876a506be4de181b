"""How many, how much, and the mean.

    Σ x · 2^1074  as an integer, rounded once

so that neither order nor deletion leaves a trace. Every finite double is a multiple of 2^-1074, hence
the scale. NULLs are not counted.
"""

from typing import Any

from engine.model.values import Value
from engine.operators.accumulators.accumulator import Constant
from engine.plan.meanings import bounded

SCALE = 1074


class Count(Constant):
    """How many values."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: Value, times: int) -> None:
        if value is not None:
            self._count += times

    def value(self) -> Value:
        return self._count


class SumOfIntegers(Constant):
    """The sum; NULL of no values."""

    def __init__(self) -> None:
        self._sum = self._count = 0

    def add(self, value: Any, times: int) -> None:
        if value is not None:
            self._sum += value * times
            self._count += times

    def value(self) -> Value:
        return bounded(self._sum) if self._count else None


class MeanOfIntegers(SumOfIntegers):
    """The mean, rounded once."""

    def value(self) -> Value:
        return self._sum / self._count if self._count else None


def scaled(value: float) -> int:
    """Return ``value · 2^1074``, which is a whole number."""
    numerator, denominator = value.as_integer_ratio()
    return numerator << (SCALE - denominator.bit_length() + 1)


def unscaled(total: int, count: int) -> Value:
    """Return ``total / (count · 2^1074)``, rounded once; what rounds to zero has no sign."""
    try:
        return total / (count << SCALE) + 0.0
    except OverflowError:
        return None


class SumOfDoubles(Constant):
    """The exact sum, rounded once."""

    def __init__(self) -> None:
        self._sum = self._count = 0

    def add(self, value: Any, times: int) -> None:
        if value is not None:
            self._sum += scaled(value) * times
            self._count += times

    def value(self) -> Value:
        return unscaled(self._sum, 1) if self._count else None


class MeanOfDoubles(SumOfDoubles):
    """The exact mean, rounded once."""

    def value(self) -> Value:
        return unscaled(self._sum, self._count) if self._count else None
