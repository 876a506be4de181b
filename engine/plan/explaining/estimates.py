"""What is expected of a node, and what was observed of it.

least ≤ rows ≤ most        with the source of the number: exact, catalog, observed, or a default

A number that was observed is as good as its last observation; a default is a guess, and its bounds say so.
"""

from collections.abc import Callable
from enum import StrEnum
from math import inf
from typing import NamedTuple

from engine.plan.explaining.shares import Shares
from engine.plan.physical import Physical

FAR_OFF = 2.0
LEAST = 0.01
SECOND = 1_000_000


class Source(StrEnum):
    """Where a number comes from."""

    EXACT = "exact"
    CATALOG = "catalog"
    OBSERVED = "observed"
    DEFAULT = "default"


class Estimate(NamedTuple):
    """What a cost model says of a node: its rows with their bounds, and the cost up to and including it.

    ``derived`` is what follows from its inputs, where ``rows`` are those that were seen.
    """

    rows: float
    cost: float
    least: float = 0.0
    most: float = inf
    source: Source = Source.DEFAULT
    derived: float | None = None

    @property
    def expected(self) -> float:
        """Return the rows that were to be expected before any were seen."""
        return self.rows if self.derived is None else self.derived


class Passed(NamedTuple):
    """What a node did in so many ticks, which lasted so many microseconds."""

    ticks: int
    lasted: int
    rows: int
    seconds: float

    def rows_a_second(self) -> float | None:
        return self.rows * SECOND / self.lasted if self.lasted > 0 else None


class Kept(NamedTuple):
    """What a running node keeps; of a window on a stream with an event time, how punctual its rows are.

    ``came`` and ``went`` count the changed rows that it took and gave since it started, ``passed`` what
    it did after its first tick; ``rows`` are those that stand as its output, ``shares`` tells of its parts.
    """

    entries: int = 0
    late: int | None = None
    waiting: int | None = None
    came: int | None = None
    went: int | None = None
    seconds: float | None = None
    rows: float | None = None
    passed: Passed | None = None
    shares: Shares | None = None

    def __str__(self) -> str:
        told = {
            "keeps": self.entries,
            "late": self.late,
            "waiting": self.waiting,
            "in": self.came,
            "out": self.went,
        }
        counts = "".join(f"  {name} {number(n):>8}" for name, n in told.items() if n is not None)
        return counts if self.seconds is None else f"{counts}  took {self.seconds * 1000:>9,.1f} ms"


Keeps = Callable[[Physical], Kept]


def off_by(estimate: Estimate, kept: Kept) -> float | None:
    """Return how many times as many rows there are as were expected, or as few, where that is far off."""
    if kept.rows is None:
        return None
    by = (kept.rows + 1) / (estimate.expected + 1)  # of a few, one more or less is not far off
    is_far = by > FAR_OFF or by < 1 / FAR_OFF
    return kept.rows / max(estimate.expected, LEAST) if is_far else None


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
