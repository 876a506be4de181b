"""What all announcements together say: devices, entities, and which topics they are read from.

    device   = what the announcements that name it say, each field of the fullest that has it, under what
               people say of it
    entity   = what the first of its announcements, by name, says

Both are functions of the announcements that stand and of nothing else, so the order they came in does not
show. Putting one costs what it changes: a device that a thousand announce alike is held once, with a count.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from engine.model.values import Row
from ingest.discovery.known import NOTHING, Announced, Availability, Device, Entity
from ingest.discovery.relations import DEVICES, ENTITIES

FACTS = tuple(each.name for each in fields(Device) if each.name not in ("id", "desk", "disabled"))


class Changes(NamedTuple):
    """What an entry changes: rows of ``devices`` and ``entities``, and why something was not understood."""

    rows: tuple[tuple[int, str, Row], ...] = ()
    problems: tuple[str, ...] = ()


NO_CHANGES = Changes()


@dataclass(frozen=True, slots=True)
class Words:
    """What people say of a device; what is None they do not say."""

    name: str | None = None
    room: str | None = None
    desk: str | None = None
    disabled: bool = False


UNSAID = Words()


class Index:
    """Everything that stands, by device, by entity and by topic."""

    def __init__(self) -> None:
        self.devices: dict[str, Device] = {}
        self.entities: dict[str, Entity] = {}
        self._announced: dict[str, Announced] = {}
        self._said: dict[str, Words] = {}
        self._parts: dict[str, Counter[Device]] = {}
        self._groups: dict[str, dict[str, None]] = {}
        self._claims: dict[str, dict[str, Entity]] = {}
        self._on: dict[str, dict[str, Entity]] = {}
        self._by_topic: dict[str, dict[str, Entity]] = {}
        self._present: dict[str, Counter[tuple[str, Availability]]] = {}
        self._told: dict[str, tuple[Entity, ...]] = {}

    def __len__(self) -> int:
        return len(self._announced)

    def announced(self, group: str) -> Announced:
        """Return what a group of announcements said last."""
        return self._announced.get(group, NOTHING)

    def groups_of(self, device: str) -> tuple[str, ...]:
        """Return the groups of announcements that name a device."""
        return tuple(self._groups.get(device, ()))

    def entities_of(self, topic: str) -> tuple[Entity, ...]:
        """Return what is read from a topic, of devices that are not disabled."""
        found = self._told.get(topic)
        if found is None:
            every = self._by_topic.get(topic, {}).values()
            found = tuple(each for each in every if not self.devices[each.device].disabled)
            if every:
                self._told[topic] = found
        return found

    def entities_on(self, device: str) -> tuple[Entity, ...]:
        """Return what a device has."""
        return tuple(self._on.get(device, {}).values())

    def availabilities_of(self, topic: str) -> tuple[tuple[str, Availability], ...]:
        """Return of which devices a topic says whether they are there, and how."""
        return tuple(self._present.get(topic, ()))

    def state_topics(self) -> Iterator[str]:
        """Return the topics that values are read from."""
        return (topic for topic in self._by_topic if self.entities_of(topic))

    def knows(self, topic: str) -> bool:
        """Tell whether something that is known is said under a topic."""
        return topic in self._by_topic or topic in self._present

    def put(self, group: str, announced: Announced) -> Changes:
        """Let a group of announcements say this from now on."""
        return self._refreshed(*self._put(group, announced), announced.problems)

    def forget(self, device: str) -> Changes:
        """Let a device be as if nothing had ever been said of it."""
        self._said.pop(device, None)
        devices, entities = {device: None}, dict[str, None]()
        for group in self.groups_of(device):
            with_it, of_it = self._put(group, NOTHING)
            devices |= with_it
            entities |= of_it
        return self._refreshed(devices, entities)

    def _put(self, group: str, announced: Announced) -> tuple[dict[str, None], dict[str, None]]:
        """Replace what a group says; return the devices and the entities that this may change."""
        before = self._announced.pop(group, NOTHING)
        if announced is not NOTHING:
            self._announced[group] = announced
        if before == announced:
            return {}, {}
        for each in before.devices:
            self._take_part(group, each)
        for each in announced.devices:
            self._add_part(group, each)
        for entity in before.entities:
            self._claims[entity.id].pop(group, None)
        for entity in announced.entities:
            self._claims.setdefault(entity.id, {})[group] = entity
        devices = dict.fromkeys(each.id for each in (*before.devices, *announced.devices))
        return devices, dict.fromkeys(each.id for each in (*before.entities, *announced.entities))

    def say(self, device: str, words: Words) -> Changes:
        """Let people say this of a device."""
        if words == UNSAID:
            self._said.pop(device, None)
        else:
            self._said[device] = words
        for topic in {each.topic for each in self.entities_on(device)}:
            self._told.pop(topic or "", None)
        return self._refreshed((device,), ())

    def _add_part(self, group: str, part: Device) -> None:
        self._parts.setdefault(part.id, Counter())[part] += 1
        self._groups.setdefault(part.id, {})[group] = None

    def _take_part(self, group: str, part: Device) -> None:
        self._groups[part.id].pop(group, None)
        counts = self._parts[part.id]
        counts[part] -= 1
        if not counts[part]:
            del counts[part]

    def _refreshed(
        self, devices: Iterable[str], entities: Iterable[str], problems: tuple[str, ...] = ()
    ) -> Changes:
        rows: list[tuple[int, str, Row]] = []
        for device in devices:
            before, after = self.devices.get(device), self._device(device)
            _changed(rows, DEVICES.name, before, after)
            if after is not None:
                self.devices[device] = after
        for entity in entities:
            _changed(rows, ENTITIES.name, self.entities.get(entity), self._settle(entity))
        for device in devices:
            if not self._parts.get(device):
                for kept in (self.devices, self._parts, self._groups):
                    kept.pop(device, None)
        return Changes(tuple(rows), problems)

    def _device(self, device: str) -> Device | None:
        parts = self._parts.get(device)
        if not parts:
            return None
        found = next(iter(parts)) if len(parts) == 1 else _merged(parts)
        said = self._said.get(device)
        if said is None:
            return found
        named = {"name": said.name or found.name, "room": said.room or found.room}
        return replace(found, **named, desk=said.desk, disabled=said.disabled)  # type: ignore[arg-type]

    def _settle(self, entity: str) -> Entity | None:
        """Let the first claim of an entity stand."""
        claims = self._claims[entity]
        before, after = self.entities.get(entity), claims[min(claims)] if claims else None
        if before != after:
            if before is not None:
                self._unlist(before)
            if after is not None:
                self._list(after)
        if not claims:
            del self._claims[entity]
        return after

    def _list(self, entity: Entity) -> None:
        self.entities[entity.id] = entity
        self._on.setdefault(entity.device, {})[entity.id] = entity
        if entity.topic is not None and entity.extract is not None:
            self._by_topic.setdefault(entity.topic, {})[entity.id] = entity
            self._told.pop(entity.topic, None)
        for each in entity.availability:
            self._present.setdefault(each.topic, Counter())[entity.device, each] += 1

    def _unlist(self, entity: Entity) -> None:
        del self.entities[entity.id]
        _without(self._on, entity.device, entity.id)
        if entity.topic is not None and entity.extract is not None:
            _without(self._by_topic, entity.topic, entity.id)
            self._told.pop(entity.topic, None)
        for each in entity.availability:
            counts = self._present[each.topic]
            counts[entity.device, each] -= 1
            if not counts[entity.device, each]:
                _without(self._present, each.topic, (entity.device, each))


def _without(among: dict[str, Any], name: str, item: object) -> None:
    kept = among[name]
    del kept[item]
    if not kept:
        del among[name]


def _merged(parts: Iterable[Device]) -> Device:
    fullest = sorted(parts, key=lambda part: (sum(getattr(part, f) is None for f in FACTS), str(part)))
    first = fullest[0]
    found = {f: next((v for part in fullest if (v := getattr(part, f)) is not None), None) for f in FACTS}
    return replace(first, **found)  # type: ignore[arg-type]


def _changed(
    rows: list[tuple[int, str, Row]],
    table: str,
    before: Device | Entity | None,
    after: Device | Entity | None,
) -> None:
    old, new = (None if each is None else each.row() for each in (before, after))
    if new is not None and new != old:
        rows.append((1, table, new))
    elif old is not None and new is None:
        rows.append((-1, table, old))
