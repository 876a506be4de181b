"""Variance and standard deviation, from exact sums, rounded once.

    var  =  (n·Σx² − (Σx)²) / (n·(n − 1))       of a population: / n²       dev  =  √var

The sums are integers, of doubles scaled by 2^1074 and 2^2148, so nothing cancels and a deletion takes
away exactly what its insert brought.
"""

from math import isqrt
from typing import Any

from engine.model.values import Value
from engine.operators.accumulators.accumulator import Constant
from engine.operators.accumulators.sums import SCALE, scaled

ENOUGH_BITS = 132


class Spread(Constant):
    """Of a sample: NULL of fewer than two values; of a population: NULL of none."""

    def __init__(self, *, of_doubles: bool, of_all: bool, is_root: bool) -> None:
        self._of_doubles = of_doubles
        self._of_all = of_all
        self._is_root = is_root
        self._count = self._sum = self._squares = 0

    def add(self, value: Any, times: int) -> None:
        if value is None:
            return
        whole = scaled(value) if self._of_doubles else value
        self._count += times
        self._sum += whole * times
        self._squares += whole * whole * times

    def value(self) -> Value:
        divisor = self._count if self._of_all else self._count - 1
        if divisor <= 0:
            return None
        above = self._count * self._squares - self._sum * self._sum
        below = (self._count * divisor) << (2 * SCALE if self._of_doubles else 0)
        try:
            return root(above, below) if self._is_root else above / below
        except OverflowError:
            return None


def root(above: int, below: int) -> float:
    """Return √(above / below), rounded once: a last bit says whether the integer root left a rest."""
    shift = ENOUGH_BITS - above.bit_length() + below.bit_length()
    shift += shift % 2
    quotient, rest = divmod(above << max(shift, 0), below << max(-shift, 0))
    whole = isqrt(quotient)
    sticky = 2 * whole + bool(rest or whole * whole != quotient)
    exponent = shift // 2 + 1
    return sticky / (1 << exponent) if exponent >= 0 else float(sticky << -exponent)
