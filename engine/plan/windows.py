"""Windows: rules that turn a stream's inserts into later deletes.

    [RANGE r]                 at tick time T:  the rows with  T - r < at <= T
    [RANGE r SLIDE s]         the same at W = floor((T - lateness) / s) · s  instead of T
    [PARTITION BY k ROWS n]   the last n rows of each k, in log order
    [NOW]                     [RANGE 1 microsecond]
    [UNBOUNDED]               the rows with  at <= T,  for ever

``at`` is when a row happened, as its stream declares, else when it was received. Times are
microseconds.
"""

from dataclasses import dataclass

from engine.model.durations import shown_duration
from engine.model.relation import Relation


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of the last ``microseconds``; looked at anew every ``slide``, or always."""

    microseconds: int
    slide: int | None = None

    def __str__(self) -> str:
        """Return the window's text, to the microsecond: a snapshot knows windows by it."""
        if self.slide is not None:
            return f"RANGE {shown_duration(self.microseconds)} SLIDE {shown_duration(self.slide)}"
        return "NOW" if self.microseconds == 1 else f"RANGE {shown_duration(self.microseconds)}"


@dataclass(frozen=True, slots=True)
class Rows:
    """The last ``count`` rows of each value of the columns at ``partition``."""

    count: int
    partition: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        by = f"PARTITION BY {', '.join(self.names)} " if self.names else ""
        return f"{by}ROWS {self.count}"


@dataclass(frozen=True, slots=True)
class Unbounded:
    """Nothing ever leaves."""

    def __str__(self) -> str:
        return "UNBOUNDED"


Window = Range | Rows | Unbounded


def reach(relation: Relation, window: Window, sample: int | None = None) -> int | None:
    """Return how long before T a row may have been received and still matter at T or later.

    A row that matters has  at > W - r,  and was received at  at - skew  or after; W > T - lateness - s.
    Which row of a period a sample takes is known from the period's beginning on. None is no bound.
    """
    if not isinstance(window, Range):
        return None
    skew = 0 if relation.event_time is None else relation.skew
    open_for = 0 if window.slide is None else window.slide + relation.lateness
    return window.microseconds + open_for + skew + (sample or 0)
