"""What the shares of a partitioned plan hold, and what they sent each other.

4 shares keep 1,204 rows (310, 290, 301, 303); 35 rounds, 7 in the last tick; sent derived 11,020 rows, 1.2 MB
"""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
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


def added(left: Mapping[str, Sent], right: Mapping[str, Sent]) -> dict[str, Sent]:
    """Return what was sent in all, by kind."""
    total = dict(left)
    for kind, sent in right.items():
        held = total.get(kind, Sent())
        total[kind] = Sent(held.rows + sent.rows, held.bytes + sent.bytes)
    return total


def together(several: Iterable[Shares]) -> Shares:
    """Return what several plans and leaves have in their shares, each partition's in one number."""
    total = Shares((), 0, 0, {})
    for each in several:
        kept = tuple(a + b for a, b in zip_longest(total.kept, each.kept, fillvalue=0))
        rounds, last = total.rounds + each.rounds, total.last_rounds + each.last_rounds
        total = Shares(kept, rounds, last, added(total.sent, each.sent))
    return total
