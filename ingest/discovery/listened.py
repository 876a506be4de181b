"""By topic: what is read from messages there, and of which devices it says whether they are there.

    +/+/BTtoMQTT/A4C1…     matches   home/gateway/BTtoMQTT/A4C1…

Patterns are found by their *shape*, how many levels and which of them are open: a topic has one key for each
shape, so a thousand sensors heard by any gateway cost a message no more than one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ingest.discovery.known import Availability, Entity, Extract

KNOWN_TOPICS = 50_000
Readings = tuple[tuple[Entity, Extract], ...]


class Listened:
    """The topics of entities that stand; what a device says that ``is_disabled`` is not read."""

    def __init__(self, is_disabled: Callable[[str], bool]) -> None:
        self._is_disabled = is_disabled
        self._read: dict[str, dict[str, tuple[Entity, Extract]]] = {}
        self._shapes: Counter[tuple[int, ...]] = Counter()
        self._found: dict[str, Readings] = {}
        self._unread: Counter[str] = Counter()
        self._present: dict[str, Counter[tuple[str, Availability]]] = {}

    def read_from(self, topic: str) -> Readings:
        """Return which entities a message speaks of, and how their values are read from it."""
        found = self._found.get(topic)
        if found is None:
            every = [each for key in self._keys(topic) for each in self._read.get(key, {}).values()]
            found = tuple(each for each in every if not self._is_disabled(each[0].device))
            if every:
                self._remember(topic, found)
        return found

    def availabilities_of(self, topic: str) -> tuple[tuple[str, Availability], ...]:
        """Return of which devices a topic says whether they are there, and how."""
        return tuple(self._present.get(topic, ()))

    def state_topics(self) -> Iterator[str]:
        """Return the topics and patterns that values are read from."""
        wanted = self._read.items()
        return (t for t, each in wanted if any(not self._is_disabled(e.device) for e, _ in each.values()))

    def knows(self, topic: str) -> bool:
        """Tell whether something that is known is said under a topic."""
        return (
            topic in self._present
            or topic in self._unread
            or any(key in self._read for key in self._keys(topic))
        )

    def add(self, entity: Entity) -> None:
        """Listen to what speaks of an entity."""
        for topic, extract in entity.extracts():
            self._read.setdefault(topic, {})[entity.id] = entity, extract
            self._count(topic, 1)
        self._count_unread(entity, 1)
        self.renew(entity)
        for each in entity.availability:
            self._present.setdefault(each.topic, Counter())[entity.device, each] += 1

    def remove(self, entity: Entity) -> None:
        """Listen no more to what speaks of an entity."""
        for topic, _ in entity.extracts():
            without(self._read, topic, entity.id)
            self._count(topic, -1)
        self._count_unread(entity, -1)
        self.renew(entity)
        for each in entity.availability:
            counts = self._present[each.topic]
            counts[entity.device, each] -= 1
            if not counts[entity.device, each]:
                without(self._present, each.topic, (entity.device, each))

    def renew(self, entity: Entity) -> None:
        """Find anew what is read from an entity's topics."""
        for topic, _ in entity.extracts():
            if "+" in topic:
                self._found.clear()
            else:
                self._found.pop(topic, None)

    def _keys(self, topic: str) -> Iterator[str]:
        yield topic
        levels = topic.split("/") if self._shapes else []
        for depth, *opened in self._shapes:
            if len(levels) == depth:
                yield "/".join("+" if at in opened else level for at, level in enumerate(levels))

    def _remember(self, topic: str, found: Readings) -> None:
        if len(self._found) >= KNOWN_TOPICS:
            self._found.clear()
        self._found[topic] = found

    def _count_unread(self, entity: Entity, step: int) -> None:
        if entity.topic is not None and entity.extract is None:
            self._unread[entity.topic] += step
            if not self._unread[entity.topic]:
                del self._unread[entity.topic]

    def _count(self, topic: str, step: int) -> None:
        if "+" not in topic:
            return
        shape = shape_of(topic)
        self._shapes[shape] += step
        if not self._shapes[shape]:
            del self._shapes[shape]


def shape_of(pattern: str) -> tuple[int, ...]:
    """Return how many levels a pattern has, and which of them are open."""
    levels = pattern.split("/")
    return (len(levels), *(at for at, level in enumerate(levels) if level == "+"))


def without(among: dict[str, Any], name: str, item: object) -> None:
    """Take an item from what is kept under a name; the last takes the name along."""
    kept = among[name]
    del kept[item]
    if not kept:
        del among[name]
