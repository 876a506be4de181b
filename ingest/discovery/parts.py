"""What many announcements say of one device, each of a part of it.

    a field of the device  =  that of the fullest part that has it; of equally full ones, of the least

Of each field the parts that have it are kept in that order, so that the ten-thousandth part of a device costs
no more than a look-up. Parts that are alike are one, with a count.
"""

from bisect import bisect_left, insort
from collections import Counter
from dataclasses import fields

from ingest.discovery.known import Device

FACTS = tuple(each.name for each in fields(Device) if each.name not in ("id", "desk", "disabled"))

Rank = tuple[int, tuple[str, ...]]


class Parts:
    """The parts of one device."""

    def __init__(self) -> None:
        self._counts: Counter[Device] = Counter()
        self._having: dict[str, list[Rank]] = {name: [] for name in FACTS}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, part: Device) -> None:
        """Take in a part."""
        self._counts[part] += 1
        if self._counts[part] == 1:
            rank = rank_of(part)
            for name, ranks in self._having.items():
                if getattr(part, name) is not None:
                    insort(ranks, rank)

    def remove(self, part: Device) -> None:
        """Let go of a part that was taken in."""
        self._counts[part] -= 1
        if not self._counts[part]:
            del self._counts[part]
            rank = rank_of(part)
            for name, ranks in self._having.items():
                if getattr(part, name) is not None:
                    del ranks[bisect_left(ranks, rank)]

    def merged(self) -> Device:
        """Return what the parts say together."""
        first = next(iter(self._counts))
        if len(self._counts) == 1:
            return first
        found = {name: ranks[0][1][n] for n, (name, ranks) in enumerate(self._having.items()) if ranks}
        return Device(first.id, **found)  # type: ignore[arg-type]


def rank_of(part: Device) -> Rank:
    """Return the place of a part: how many facts it lacks, and then the facts."""
    facts = tuple(getattr(part, name) or "" for name in FACTS)
    return facts.count(""), facts
