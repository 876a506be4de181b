"""Windows: rules that turn a stream's inserts into later deletes.

[RANGE r]              at tick time T:  the rows with  T - r < at <= T
[PARTITION BY k ROWS n]   the last n rows of each k, in log order
[NOW]                  [RANGE 1 microsecond]
[UNBOUNDED]            every row, for ever
"""

from dataclasses import dataclass

UNITS = {
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of the last ``microseconds``."""

    microseconds: int

    def __str__(self) -> str:
        """Return the window's text, to the microsecond: a snapshot knows windows by it."""
        if self.microseconds == 1:
            return "NOW"
        unit = next(unit for unit, length in UNITS.items() if self.microseconds % length == 0)
        return f"RANGE {self.microseconds // UNITS[unit]} {unit}S"


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
