"""The device registry: a fold of what was announced and of what people say, in the order of the log.

    known(offset)  =  of each topic its last word that was understood, and of each device the people's last

What a device shows by telemetry counts as long as nothing else was announced to be read from there.
An empty announcement takes back what its topic said. A device that people *forget* is gone, with all that
was announced of it and all that they said; what is announced after that makes it new. The decoder and the
acquisition fold the same entries, so they know the same.
"""

from collections.abc import Iterator
from typing import Any

import structlog

from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError, shown
from ingest.discovery import forms
from ingest.discovery.fields import maybe_text
from ingest.discovery.index import NO_CHANGES, Changes, Index, Words, telemetry_of
from ingest.discovery.known import NOTHING, Announcement, Device, Entity, Met
from ingest.discovery.topics import is_telemetry

LOGGER = structlog.get_logger()
REGISTRY_SOURCE = "registry"
MAPPED = "mapped"
MAX_ANNOUNCED, MAX_BYTES = 200_000, 500_000_000
FULL = f"{MAX_ANNOUNCED} announcements, or {MAX_BYTES} bytes of them, stand already; forget what is gone"


class Registry:
    """What is known of devices after the entries that it took."""

    def __init__(self) -> None:
        self.upto = self._bytes = 0
        self._index = Index()
        self._words: dict[str, dict[str, bytes]] = {}
        self._met: dict[str, Met] = {}
        self._told: tuple[Met, ...] | None = ()
        self._shown: dict[str, Announcement] = {}
        self.devices: dict[str, Device] = self._index.devices
        self.entities: dict[str, Entity] = self._index.entities
        self.is_disabled = self._index.is_disabled
        self.entities_on = self._index.entities_on
        listened = self._index.listened
        self.read_from, self.knows = listened.read_from, listened.knows
        self.availabilities_of, self.state_topics = listened.availabilities_of, listened.state_topics

    def take(self, offset: int, source: str, topic: str, body: bytes) -> Changes:
        """Take in an entry that announces or that people wrote; NO_CHANGES where it says nothing else."""
        if offset <= self.upto:
            return NO_CHANGES
        self.upto = offset
        try:
            return self._said(topic, body) if source == REGISTRY_SOURCE else self._announced(topic, body)
        except FieldError as error:
            return Changes(problems=(str(error),))
        except Exception as error:
            LOGGER.exception("an announcement cannot be taken in", offset=offset, topic=topic)
            return Changes(problems=(f"internal: {type(error).__name__}: {error}",))

    def meet(self, met: Met) -> Changes:
        """Take in a device that a mapped stream speaks of; a room that it does not say stays what it was."""
        known = self._met.get(met.entity)
        if known is not None and met in (known, known._replace(room=None)):
            return NO_CHANGES
        if known is None and self._is_full():
            return Changes(problems=(FULL,))
        room = met.room or (known.room if known is not None else None)
        self._met[met.entity], self._told = met._replace(room=room), None
        named = (met.entity, met.device, None, MAPPED, met.quantity, met.unit, met.topic)
        entity = Entity(*named, expire_after=met.expire_after)
        return self._index.put(f"~{met.entity}", Announcement((Device(met.device, room=room),), (entity,)))

    def met(self) -> tuple[Met, ...]:
        """Return what was met and not forgotten."""
        if self._told is None:
            self._told = tuple(self._met.values())
        return self._told

    def entities_of(self, topic: str) -> tuple[Entity, ...]:
        """Return which entities a message speaks of, of devices that are not disabled."""
        return tuple(entity for entity, _ in self.read_from(topic))

    def standing(self) -> Iterator[tuple[str, bytes]]:
        """Return each topic that announces something, with its last word that was understood."""
        return (word for words in self._words.values() for word in words.items())

    def topics_of(self, device: str) -> tuple[str, ...]:
        """Return the topics that announced a device."""
        groups = self._index.groups_of(device)
        return tuple(topic for group in groups for topic in self._words.get(group, ()))

    def _announced(self, topic: str, body: bytes) -> Changes:
        group = forms.group(topic)
        words = self._words.get(group, {})
        if words.get(topic, b"") == body:
            return NO_CHANGES
        kept = {each: said for each, said in words.items() if each != topic}
        if body:
            kept[topic] = body
            self._check_room(words, len(body))
        announced = forms.read(kept) if kept else NOTHING
        if announced is None:
            return NO_CHANGES
        self._keep(group, kept)
        return self._put(group, announced)

    def _keep(self, group: str, words: dict[str, bytes]) -> None:
        """Let these be the words of a group; none take it away."""
        before = self._words.pop(group, {})
        self._bytes += sum(map(len, words.values())) - sum(map(len, before.values()))
        if words:
            self._words[group] = words

    def _put(self, group: str, announced: Announcement) -> Changes:
        """Let announcements stand; what telemetry shows gives way to what was announced to be read of it."""
        if announced == (self._shown.get(group) or self._index.announced(group)):
            return NO_CHANGES
        if is_telemetry(group):
            self._shown[group] = announced
            return self._settle(group)
        topics = telemetry_of(self._index.announced(group)) | telemetry_of(announced)
        changes = self._index.put(group, announced)
        for topic in topics & self._shown.keys():
            changes = changes.then(self._settle(topic))
        return changes

    def _settle(self, topic: str) -> Changes:
        is_spare = self._index.is_read_besides(topic)
        return self._index.put(topic, NOTHING if is_spare else self._shown[topic])

    def _is_full(self) -> bool:
        return len(self._index) >= MAX_ANNOUNCED

    def _check_room(self, words: dict[str, bytes], more: int) -> None:
        if (not words and self._is_full()) or self._bytes + more > MAX_BYTES:
            raise FieldError(FULL)

    def _said(self, device: str, body: bytes) -> Changes:
        found = parse(body) if body else {}
        if type(found) is not dict:
            msg = f"what is said of device {shown(device)} is no object"
            raise FieldError(msg)
        return (
            self._forget(device) if found.get("forgotten") is True else self._index.say(device, _words(found))
        )

    def _forget(self, device: str) -> Changes:
        self._told = None
        for group in self._index.groups_of(device):
            for topic in (group, *telemetry_of(self._index.announced(group))):
                self._keep(topic, {})
                self._shown.pop(topic, None)
            self._met.pop(group.removeprefix("~"), None)
        return self._index.forget(device)


def _words(found: dict[str, Any]) -> Words:
    name, room, desk = (maybe_text(found.get(each)) for each in ("name", "room", "desk"))
    return Words(name, room, desk, found.get("disabled") is True)
