"""Messages from gateway to gateway, hop by hop, each hop one message and counted.

    mesh/<to>/<from>    {"for": gateway | "base" | "*", "from": origin, "mesh": mark, "what": …, …}

A message is for one gateway, for base (a result: the last gateway publishes it), or for all. It belongs
to the topology in which it was said: whoever is in another keeps it until it is in that one too, or never
needs it, since everybody says everything again in a new topology. So what is said in the topology that
stays reaches everybody for whom it is, whenever each learnt of it.
"""

import json
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from ingest.gateways.topology import Topology
from ingest.sources import BASE

ALL = "*"
MOST_WAITING = 10_000

Message = dict[str, Any]


class Mesh:
    """One gateway's part in it; ``base_gateway`` is where joins have their base station."""

    def __init__(self, name: str, base_gateway: str | None, publish: Callable[[str, bytes], None]) -> None:
        self.name = name
        self.base_gateway = base_gateway
        self.topology = Topology({})
        self.hops: Counter[tuple[str, str]] = Counter()
        self.results = 0
        self._publish = publish
        self._early: deque[Message] = deque(maxlen=MOST_WAITING)

    def say(self, to: str, message: Message) -> None:
        """Send to a gateway, to base or to all."""
        self._pass_on({"for": to, "from": self.name, "mesh": self.topology.mark, **message})

    def heard(self, message: Message) -> Message | None:
        """Return a message if it is for this gateway; hand it on if it is for others."""
        if message.get("mesh") != self.topology.mark:
            self._early.append(message)
            return None
        to = message["for"]
        if to != self.name:
            self._pass_on(message)
        return message if to in (self.name, ALL) else None

    def leave(self) -> None:
        """Be in no topology until the next: what is said in the last one is not for this life."""
        self.topology = Topology({})

    def become(self, topology: Topology) -> list[Message]:
        """Take a new topology; return what came for this gateway before it."""
        self.topology = topology
        waited, self._early = self._early, deque(maxlen=MOST_WAITING)
        return [message for each in waited if (message := self.heard(each)) is not None]

    def _pass_on(self, message: Message) -> None:
        here, to = self.name, message["for"]
        if to == ALL:
            for below in self.topology.below(here, message["from"]):
                self._hop(below, message)
            return
        neighbour = self.topology.next_hop(here, to)
        if neighbour == BASE:
            self.results += 1
            self.hops[message["fragment"], "results"] += 1
            self._publish(message["topic"], json.dumps(message["body"]).encode())
        elif neighbour is not None:
            self._hop(neighbour, message)

    def _hop(self, neighbour: str, message: Message) -> None:
        kind = (message["fragment"], message["what"])
        self.hops[kind] += self.topology.cost(self.name, neighbour)
        self._publish(f"mesh/{neighbour}/{self.name}", json.dumps(message).encode())

    def counted(self) -> dict[str, Any]:
        """Return the hops so far: over the mesh, to base, and by fragment and kind."""
        by: dict[str, dict[str, int]] = {}
        for (fragment, kind), count in self.hops.items():
            by.setdefault(fragment, {})[kind] = count
        return {"mesh": sum(self.hops.values()) - self.results, "results": self.results, "by": by}
