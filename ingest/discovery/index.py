"""What all announcements together say: devices, entities, and which topics they are read from.

    device   = what the announcements that name it say, each field of the fullest that has it, under what
               people say of it
    entity   = what the first of its announcements, by name, says

Both are functions of the announcements that stand and of nothing else, so the order they came in does not
show. Putting one costs what it changes: a device that a thousand announce alike is held once, with a count.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from engine.model.values import Row
from ingest.discovery.known import NOTHING, Announcement, Device, Entity
from ingest.discovery.listened import Listened, without
from ingest.discovery.parts import Parts
from ingest.discovery.relations import DEVICES, ENTITIES
from ingest.discovery.topics import is_telemetry


class Changes(NamedTuple):
    """What an entry changes: rows of ``devices`` and ``entities``, and why something was not understood."""

    rows: tuple[tuple[int, str, Row], ...] = ()
    problems: tuple[str, ...] = ()

    def then(self, more: "Changes") -> "Changes":
        """Return these and what came after them."""
        return Changes(self.rows + more.rows, self.problems + more.problems)


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
        self._announced: dict[str, Announcement] = {}
        self._said: dict[str, Words] = {}
        self._parts: dict[str, Parts] = {}
        self._groups: dict[str, dict[str, None]] = {}
        self._readers: Counter[str] = Counter()
        self._claims: dict[str, dict[str, Entity]] = {}
        self._order: dict[str, list[str]] = {}
        self._on: dict[str, dict[str, Entity]] = {}
        self.listened = Listened(self.is_disabled)

    def is_disabled(self, device: str) -> bool:
        """Tell whether people want nothing of a device."""
        found = self.devices.get(device)
        return found is not None and found.disabled

    def __len__(self) -> int:
        return len(self._announced)

    def announced(self, group: str) -> Announcement:
        """Return what a group of announcements said last."""
        return self._announced.get(group, NOTHING)

    def groups_of(self, device: str) -> tuple[str, ...]:
        """Return the groups of announcements that name a device."""
        return tuple(self._groups.get(device, ()))

    def entities_on(self, device: str) -> tuple[Entity, ...]:
        """Return what a device has."""
        return tuple(self._on.get(device, {}).values())

    def is_read_besides(self, group: str) -> bool:
        """Tell whether others announced what is read from the topic that a group is named by."""
        return self._readers[group] > 0

    def _count_readers(self, group: str, announced: Announcement, step: int) -> None:
        for topic in telemetry_of(announced) if not is_telemetry(group) else ():
            self._readers[topic] += step

    def put(self, group: str, announced: Announcement) -> Changes:
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

    def _put(self, group: str, announced: Announcement) -> tuple[dict[str, None], dict[str, None]]:
        """Replace what a group says; return the devices and the entities that this may change."""
        before = self._announced.pop(group, NOTHING)
        if announced is not NOTHING:
            self._announced[group] = announced
        if before == announced:
            return {}, {}
        self._count_readers(group, before, -1)
        self._count_readers(group, announced, 1)
        for each in before.devices:
            self._take_part(group, each)
        for each in announced.devices:
            self._add_part(group, each)
        for entity in before.entities:
            if self._claims[entity.id].pop(group, None) is not None:
                order = self._order[entity.id]
                del order[bisect_left(order, group)]
        for entity in announced.entities:
            claims = self._claims.setdefault(entity.id, {})
            if group not in claims:
                insort(self._order.setdefault(entity.id, []), group)
            claims[group] = entity
        devices = dict.fromkeys(each.id for each in (*before.devices, *announced.devices))
        return devices, dict.fromkeys(each.id for each in (*before.entities, *announced.entities))

    def say(self, device: str, words: Words) -> Changes:
        """Let people say this of a device."""
        if words == UNSAID:
            self._said.pop(device, None)
        else:
            self._said[device] = words
        for each in self.entities_on(device):
            self.listened.renew(each)
        return self._refreshed((device,), ())

    def _add_part(self, group: str, part: Device) -> None:
        self._parts.setdefault(part.id, Parts()).add(part)
        self._groups.setdefault(part.id, {})[group] = None

    def _take_part(self, group: str, part: Device) -> None:
        self._groups[part.id].pop(group, None)
        self._parts[part.id].remove(part)

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
        found = parts.merged()
        said = self._said.get(device)
        if said is None:
            return found
        named = {"name": said.name or found.name, "room": said.room or found.room}
        return replace(found, **named, desk=said.desk, disabled=said.disabled)  # type: ignore[arg-type]

    def _settle(self, entity: str) -> Entity | None:
        """Let the first claim of an entity stand."""
        claims = self._claims[entity]
        before, after = self.entities.get(entity), claims[self._order[entity][0]] if claims else None
        if before != after:
            if before is not None:
                self._unlist(before)
            if after is not None:
                self._list(after)
        if not claims:
            del self._claims[entity], self._order[entity]
        return after

    def _list(self, entity: Entity) -> None:
        self.entities[entity.id] = entity
        self._on.setdefault(entity.device, {})[entity.id] = entity
        self.listened.add(entity)

    def _unlist(self, entity: Entity) -> None:
        del self.entities[entity.id]
        without(self._on, entity.device, entity.id)
        self.listened.remove(entity)


def telemetry_of(announced: Announcement) -> set[str]:
    """Return the topics of telemetry that an announcement has something read from."""
    topics = (topic for each in announced.entities for topic, _ in each.extracts())
    return {topic for topic in topics if is_telemetry(topic)}


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
