"""What the shares of a partitioned plan hold, and what they sent each other.

4 shares keep 1,204 rows (310, 290, 301, 303); 35 rounds, 7 in the last tick; sent derived 11,020 rows, 1.2 MB
"""

from collections.abc import Mapping
from typing import NamedTuple


class Sent(NamedTuple):
    """What was sent of a kind."""

    rows: int = 0
    bytes: int = 0

    def __str__(self) -> str:
        return f"{self.rows:,} rows, {self.bytes / 1_000:,.1f} kB"


class Shares(NamedTuple):
    """Rows by partition, rounds since the start and in the last tick, and what was sent by kind."""

    kept: tuple[int, ...]
    rounds: int
    last_rounds: int
    sent: Mapping[str, Sent]

    def __str__(self) -> str:
        each = ", ".join(f"{rows:,}" for rows in self.kept)
        told = [
            f"{len(self.kept)} shares keep {sum(self.kept):,} rows ({each})",
            f"{self.rounds:,} rounds, {self.last_rounds:,} in the last tick",
        ]
        if self.sent:
            told.append("sent " + ", ".join(f"{kind} {sent}" for kind, sent in sorted(self.sent.items())))
        return "; ".join(told)
