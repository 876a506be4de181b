"""Windows: rules that turn a stream's inserts into later deletes.

[RANGE r]              at tick time T:  the rows with  T - r < at <= T
[PARTITION BY k ROWS n]   the last n rows of each k, in log order
[NOW]                  [RANGE 1 microsecond]
[UNBOUNDED]            every row, for ever
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of the last ``microseconds``."""

    microseconds: int

    def __str__(self) -> str:
        seconds = self.microseconds / 1_000_000
        return "NOW" if self.microseconds == 1 else f"RANGE {seconds:g} SECONDS"


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
