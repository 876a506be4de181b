"""How much an operator may do and hold, so that one query cannot stop the building.

rows put out in one step  <=  ``rows``          rows held by a leaf or a view  <=  ``rows``
rounds of a recursion in one step  <=  ``rounds``
"""

from dataclasses import dataclass


class BudgetExceeded(Exception):
    """An operator went over its budget; the views above it are suspended with this reason."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a query says that it may use at most; None where it says nothing."""

    rows: int | None = None
    rounds: int | None = None
    bytes: int | None = None
    seconds: float | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Budget:
    """A bound, asked by whoever is about to cross it."""

    rows: int = 1_000_000
    rounds: int = 20_000

    def check(self, rows: int, what: str) -> None:
        if rows > self.rows:
            raise BudgetExceeded(self.reason(what))

    def reason(self, what: str) -> str:
        remedy = "add a condition that relates its inputs, or a shorter window"
        return f"{what} went over {self.rows:,} rows; {remedy}"
