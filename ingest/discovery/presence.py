"""Whether devices are there: what they say of themselves, and whether they keep their own time-outs.

    offline   an entity says that it is not available, and none that it is
    stale     every entity that promised a value within ``expire_after`` is overdue
    online    it is available, or has spoken
    unknown   none of these yet

A message that the broker had kept tells whether a device is available, not that it has just spoken. After a
restart a device is what it was, with its whole time-out before it, until it is heard of again.

A row of ``device_states`` is written when it changes: {"changes": [[±1, "device_states", {…}]]}.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from engine.model.clock import SECOND
from ingest.discovery.availability import Word, is_there
from ingest.discovery.known import Entity
from ingest.discovery.relations import DEVICE_STATES, OFFLINE, ONLINE, STALE, UNKNOWN
from ingest.log import Entry
from ingest.wrappers.mqtt.heard import Said

SOURCE = "device_states"
LONGEST = 10_000  # bytes of a word about availability


class Change(NamedTuple):
    """A device is in a state since some moment; without one it is no more."""

    device: str
    state: str | None
    since: int


def entry_of(changes: Iterable[Change]) -> Entry:
    """Return what the log is told."""
    rows = [[-1 if each.state is None else 1, DEVICE_STATES.name, _row(each)] for each in changes]
    return Entry(SOURCE, "changes", json.dumps({"changes": rows}).encode())


def topics_of(entity: Entity) -> list[str]:
    """Return what a device is heard on because of an entity."""
    return [*entity.topics(), *(each.topic for each in entity.availability)]


def _row(change: Change) -> dict[str, object]:
    return {"device": change.device, "state": change.state or UNKNOWN, "since": change.since}


class Presence:
    """The state of each device; ``topics`` are what its devices speak on."""

    def __init__(self) -> None:
        self._entities: dict[str, list[Entity]] = {}
        self._devices_at: dict[str, set[str]] = {}
        self._words: dict[str, Word] = {}
        self._telling: set[str] = set()
        self._turn = 0
        self._spoke: dict[str, int] = {}
        self._known_since: dict[str, int] = {}
        self._said: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._due: list[tuple[int, str]] = []
        self._awaited: set[str] = set()
        self._changed: set[str] = set()
        self.topics: frozenset[str] = frozenset()

    def restore(self, kept: Mapping[str, str], now: int) -> None:
        """Begin with what the log said last."""
        self._said = dict(kept)
        self._before = dict(kept)
        self._known_since = {device: 0 if kept.get(device) == STALE else now for device in self._known_since}
        self._changed.update(self._said)

    def learn(self, entities: Iterable[Entity], now: int) -> None:
        """Go by these entities from now on."""
        before, found = self._entities, defaultdict(list)
        self._telling = set()
        devices_at: dict[str, set[str]] = defaultdict(set)
        for entity in entities:
            found[entity.device].append(entity)
            self._telling.update(each.topic for each in entity.availability)
            for topic in topics_of(entity):
                devices_at[topic].add(entity.device)
        self._entities, self._devices_at = dict(found), dict(devices_at)
        self._changed |= {
            device for device in before.keys() | found.keys() if before.get(device) != found.get(device)
        }
        self._awaited -= self._changed  # an end may have come nearer
        self._known_since = {device: self._known_since.get(device, now) for device in found}
        self.topics = frozenset(devices_at)
        self._words = {topic: word for topic, word in self._words.items() if topic in self._telling}
        self._spoke = {topic: at for topic, at in self._spoke.items() if topic in devices_at}

    def advance(self, news: Mapping[str, Said], now: int) -> list[Change]:
        """Return what changed by what was heard, and by time."""
        for topic, said in news.items():
            self._hear(topic, said)
        while self._due and self._due[0][0] <= now:
            device = heappop(self._due)[1]
            self._awaited.discard(device)
            self._changed.add(device)
        changed, self._changed = self._changed, set()
        return [
            change for device in sorted(changed) if (change := self._maybe_change(device, now)) is not None
        ]

    def state_of(self, device: str) -> str | None:
        """Return what was said of a device last."""
        return self._said.get(device)

    def _hear(self, topic: str, said: Said) -> None:
        devices = self._devices_at.get(topic, set())
        if topic in self._telling:
            self._turn += 1
            self._words[topic] = Word(self._turn, said.payload if len(said.payload) <= LONGEST else b"")
        if said.at is not None:
            self._spoke[topic] = said.at
        for device in devices:
            self._before.pop(device, None)
        self._changed |= devices

    def _maybe_change(self, device: str, now: int) -> Change | None:
        before = self._said.get(device)
        state = self._state(device, now) if device in self._entities else None
        if state == before:
            return None
        if state is None:
            self._said.pop(device, None)
        else:
            self._said[device] = state
        return Change(device, state, now)

    def _state(self, device: str, now: int) -> str:
        entities = self._entities[device]
        there = is_there(entities, self._words)
        has_spoken = any(topic in self._spoke for entity in entities for topic in entity.topics())
        state = ONLINE if there or has_spoken else UNKNOWN
        if there is False:
            state = OFFLINE
        elif there is None and not has_spoken:
            state = self._before.get(device, state)
        return self._in_time(device, now) if state == ONLINE else state

    def _in_time(self, device: str, now: int) -> str:
        known = self._known_since[device]
        ends = [
            max(self._spoke.get(topic, known) for topic in entity.topics())
            + int(entity.expire_after * SECOND)
            for entity in self._entities[device]
            if entity.expire_after is not None and entity.topics()
        ]
        if not ends:
            return ONLINE
        if max(ends) <= now:
            return STALE
        if device not in self._awaited:  # an end that moves back is looked at when it would have been
            self._awaited.add(device)
            heappush(self._due, (max(ends), device))
        return ONLINE
