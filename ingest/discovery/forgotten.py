"""What the broker still keeps of devices that people had forgotten.

    forgotten    every topic that announced the device
    said since   not that topic: the broker confirmed that it is empty, or the device is there again

A function of the log, so a broker that was away is told when it is back, and one that was told is not told
again after a restart.
"""

import json
from collections.abc import Sequence
from typing import Protocol

from ingest.log import REGISTRY_SOURCE, Announced


class Knowing(Protocol):
    """A registry, as far as it is asked here."""

    def topics_of(self, device: str) -> Sequence[str]: ...


class Forgotten:
    """The topics that are to be cleared; asked before the registry takes the entry."""

    def __init__(self) -> None:
        self.topics: set[str] = set()

    def take(self, announced: Announced, registry: Knowing) -> None:
        if announced.source != REGISTRY_SOURCE:
            self.topics.discard(announced.topic)
        elif forgets(announced.body):
            self.topics.update(registry.topics_of(announced.topic))


def forgets(body: bytes) -> bool:
    """Tell whether people had a device forgotten by this entry."""
    try:
        found = json.loads(body)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("forgotten") is True
