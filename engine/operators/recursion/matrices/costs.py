"""What a path costs, always as something to be made least.

    best   combine       inside
    min    +             min, +
    min    greatest      min, max
    max    least         min, max of the negatives

A matrix of costs is of doubles, which are exact for integers below 2^53; costs that may come to
more are computed by Python's integers. Sums of other numbers are rounded, so the cost of a path is
by definition summed from its end: w₁ + (w₂ + (… + c)).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.model.errors import QueryError
from engine.model.values import Value
from engine.plan.meanings import BIGINT_BOUND

Costs = NDArray[Any]
Mask = NDArray[np.bool_]
ABSENT = math.inf
EXACT_SUM = 2.0**52
ROUNDING = 1e-9


class CostRule:
    """``best`` and ``combine`` as in the plan's ``BestPaths``; ``integral`` says the type put out."""

    def __init__(self, best: str, combine: str, integral: bool) -> None:
        self._sign = 1 if best == "min" else -1
        self.is_integral = integral
        self.adds = combine == "+"
        self.combined: np.ufunc = np.add if self.adds else np.maximum
        self.of_no_step: float = 0 if self.adds else -math.inf
        self.dtype: Any = np.float64
        self._sum = 0
        self._fractions = 0

    def inward(self, cost: Value) -> float:
        """Return a cost as it is computed with."""
        assert isinstance(cost, int | float)
        if not math.isfinite(cost):
            message = f"a path costs {cost}; expected a finite number: leave others out before the recursion"
            raise QueryError(message)
        return cost * self._sign

    def step(self, cost: Value) -> float:
        """Return the cost of an edge; the sums of a least path would fall for ever below nothing."""
        inward = self.inward(cost)
        if self.adds and inward < 0:
            message = (
                f"an edge of the recursion costs {cost}; the least sum over paths expects costs of at "
                "least 0: leave others out before the recursion"
            )
            raise QueryError(message)
        return inward

    def there(self, costs: Costs) -> Mask:
        """Tell which costs a row can have; a sum of BIGINTs beyond the largest is NULL, never best."""
        return np.asarray(costs < (BIGINT_BOUND if self.is_integral else ABSENT), bool)

    def outward(self, costs: Costs) -> list[float]:
        """Return costs as rows have them."""
        costs = costs * self._sign
        if self.dtype is object:
            return list(costs)
        listed: list[float] = (costs.astype(np.int64) if self.is_integral else costs + 0.0).tolist()
        return listed

    def one_outward(self, cost: float) -> float:
        return cost * self._sign

    def count(self, cost: float, uses: int) -> None:
        """Remember what sums can come to, as ``cost`` is there ``uses`` times more."""
        if cost == int(cost):
            self._sum += abs(int(cost)) * uses
        else:
            self._fractions += uses

    @property
    def is_exact(self) -> bool:
        """Tell whether any association of a sum is the same number."""
        if not self.adds or self.dtype is object:
            return True
        return not self._fractions and self._sum < EXACT_SUM

    @property
    def outgrows_doubles(self) -> bool:
        return self.is_integral and self.dtype is np.float64 and self._sum >= EXACT_SUM

    def widened(self, costs: Costs) -> Costs:
        """Return costs as Python's integers, and compute with these from here on."""
        self.dtype = object
        wide = costs.astype(object)
        there = costs < ABSENT
        there &= costs > -ABSENT
        wide[there] = [int(cost) for cost in costs[there].tolist()]
        return wide

    def at_most(self, costs: Costs) -> Costs:
        """Return the bound below which a sum may be one of ``costs``, were it not for rounding."""
        return costs if self.is_exact else costs + np.abs(costs) * ROUNDING
