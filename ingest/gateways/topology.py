"""Who hears whom, as all gateways see it that have heard the same states.

    links   those that either end names, among gateways that are up; base is an end, never a way
    way     to the neighbour from which least hops remain, of equal ones the first by name
    tree    of an origin: each gateway hangs below such a neighbour, so a flood is one message a gateway

Gateways that only the base station joins reach each other over it, in two hops. ``mark`` is equal where
and only where topologies are, incarnations included, and the last connections of those that are gone: so
no topology comes again, and a message of another one, however late, is not of this one.
"""

import hashlib
import heapq
import json
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from ingest.sources import BASE

OVER_BASE = 2


class Member(NamedTuple):
    """A gateway that is up: which life of it, and whom it says that it hears."""

    incarnation: int
    links: tuple[str, ...]


class Topology:
    """The gateways that are up."""

    def __init__(self, members: Mapping[str, Member], gone: Mapping[str, str] | None = None) -> None:
        """Have members, and of those that are gone which connection was their last."""
        self.members = dict(sorted(members.items()))
        self._gone = sorted((gone or {}).items())
        self._links = self._edges()
        self._distances: dict[str, dict[str, int]] = {}

    @cached_property
    def mark(self) -> str:
        text = json.dumps([list(self.members.items()), self._gone])
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def cost(self, here: str, neighbour: str) -> int:
        """Return how many hops one link is."""
        return self._links[here][neighbour]

    def hops(self, here: str, to: str = BASE) -> int | None:
        """Return the length of the shortest way, or None where there is none."""
        return self._from(to).get(here)

    def next_hop(self, here: str, to: str) -> str | None:
        """Return whom to hand a message on to."""
        return None if here == to else self._towards(here, to)

    def below(self, here: str, origin: str) -> list[str]:
        """Return to whom a gateway hands on what the origin says to all."""
        return [
            other
            for other in self._links.get(here, {})
            if other not in (BASE, origin) and self._towards(other, origin) == here
        ]

    @property
    def base_gateway(self) -> str | None:
        """The gateway nearest to base.

        Joins take that of all that are declared, up or not, for their base station: were it another while
        the one is gone, whose last answer stands, every row would be there twice.
        """
        ways = [(hops, name) for name in self.members if (hops := self.hops(name)) is not None]
        return min(ways)[1] if ways else None

    def _edges(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {name: {} for name in (*self.members, BASE)}
        for name, member in self.members.items():
            for other in member.links:
                if other in found and other != name:
                    found[name][other] = found[other][name] = 1
        ends = list(found[BASE])
        for name in ends:
            for other in ends:
                if other != name:
                    found[name].setdefault(other, OVER_BASE)
        return found

    def _towards(self, here: str, to: str) -> str | None:
        ahead = self._from(to)
        ways = [
            (ahead[other] + cost, other)
            for other, cost in self._links.get(here, {}).items()
            if other in ahead and (other != BASE or to == BASE)
        ]
        return min(ways)[1] if ways else None

    def _from(self, origin: str) -> dict[str, int]:
        """Return how far everybody is, with Dijkstra's algorithm; nothing goes on from base."""
        known = self._distances.get(origin)
        if known is None:
            known = self._distances[origin] = {}
            ahead = [(0, origin)] if origin in self._links else []
            while ahead:
                far, name = heapq.heappop(ahead)
                if name in known:
                    continue
                known[name] = far
                if name == BASE and origin != BASE:
                    continue
                for other, cost in self._links[name].items():
                    heapq.heappush(ahead, (far + cost, other))
        return known
