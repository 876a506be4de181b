"""What is known of the sites: the mesh of gateways, the devices behind each, and how big tables are.

    hops(a, b)   the shortest way over live links          to the base: hops(a, BASE)

All of it is a value: a new one is given to the optimizer when a gateway says something else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.plan.leaves import Table, Windowed
from engine.plan.windows import Range, Rows
from federated.estimating.estimated import Estimated, declared, exact, guessed
from federated.sites.radio import RADIO, Radio

BASE = "base"
GUESS_DEVICES, GUESS_HOPS, GUESS_RATE, GUESS_ROWS = 100.0, 3.0, 1.0, 200.0
GUESS_KEPT, GUESS_POLL = 100.0, 1.0

Counts = Mapping[str, float]
"""By gateway."""


@dataclass(frozen=True)
class Network:
    """``devices`` are by stream and gateway, ``rates`` readings a second of one device, ``rows`` by table.

    ``polls`` are seconds between two questions to a database. With ``epoch``, in seconds, every device says
    its row once in each; without, as it changes.
    """

    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    devices: Mapping[str, Counts] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    rows: Mapping[str, float] = field(default_factory=dict)
    polls: Mapping[str, float] = field(default_factory=dict)
    epoch: float | None = None
    radio: Radio = RADIO

    @cached_property
    def _hops(self) -> dict[str, dict[str, int]]:
        places = {BASE, *self.links, *(each for others in self.links.values() for each in others)}
        near = {place: {*self.links.get(place, ())} for place in places}
        for place, others in self.links.items():
            for other in others:
                near[other].add(place)
        return {place: _spread(place, near) for place in places}

    def hops(self, a: str, b: str) -> float:
        """Return the hops between two gateways, or to the base."""
        return float(self._hops.get(a, {}).get(b, GUESS_HOPS))

    def number_of(self, stream: str) -> Estimated:
        """Return how many devices a stream has."""
        counts = self.devices.get(stream)
        return declared(sum(counts.values())) if counts else guessed(GUESS_DEVICES)

    def rate_of(self, stream: str) -> Estimated:
        """Return how many readings a second a device of a stream has."""
        rate = self.rates.get(stream)
        return guessed(GUESS_RATE) if rate is None else declared(rate)

    def to_base(self, stream: str) -> float:
        """Return the hops from a device's gateway to the base, on average."""
        counts = self.devices.get(stream) or {}
        total = sum(counts.values())
        return sum(n * self.hops(at, BASE) for at, n in counts.items()) / total if total else GUESS_HOPS

    def farthest(self, stream: str) -> float:
        """Return the hops of the longest way to the base."""
        return max((self.hops(at, BASE) for at in self.devices.get(stream) or {}), default=GUESS_HOPS)

    def between(self, left: str, right: str) -> float:
        """Return the hops from a left device to the nearest right one, on average."""
        mine, its = self.devices.get(left) or {}, self.devices.get(right) or {}
        total = sum(mine.values())
        if not total or not its:
            return 1.0
        return sum(n * min(self.hops(at, other) for other in its) for at, n in mine.items()) / total

    def held(self, leaf: Table | Windowed) -> Estimated:
        """Return how many rows a relation of a site of its own holds, through its window."""
        name = leaf.relation.name
        if isinstance(leaf, Table):
            return self.rows_of(name)
        devices = self.number_of(name)
        match leaf.window:
            case Range(length):
                return devices.times(self.rate_of(name)).times(exact(length / 1_000_000))
            case Rows(count):
                return devices.times(exact(count))
        return devices.times(guessed(GUESS_KEPT))

    def rows_of(self, table: str) -> Estimated:
        """Return how many rows a table has."""
        rows = self.rows.get(table)
        return guessed(GUESS_ROWS) if rows is None else declared(rows)

    @property
    def busiest_share(self) -> float:
        """Return the part of all messages that one gateway beside the base relays, at least."""
        beside = [place for place, hops in self._hops[BASE].items() if hops == 1]
        return 1.0 / max(1, len(beside))

    @property
    def motes(self) -> float:
        """Return how many gateways there are."""
        return float(len(self.links) or GUESS_HOPS)


def _spread(start: str, near: Mapping[str, set[str]]) -> dict[str, int]:
    found = {start: 0}
    for place in (queue := [start]):
        for other in near[place] - found.keys():
            found[other] = found[place] + 1
            queue.append(other)
    return found


UNKNOWN = Network()
