"""What devices that announce themselves say: rows of ``devices``, ``entities`` and ``measurements``.

    announcement, or a word of people's   → the registry takes it in, and what that changes
    message on a topic of known entities  → a measurement for each of which it says something

A message of which nothing can be read, where a device's own template was to read it, is a reject.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.model.reading import Reading
from ingest.decoding.rejects import reject
from ingest.decoding.values import FieldError
from ingest.discovery.known import Entity, Extract
from ingest.discovery.listened import Readings
from ingest.discovery.message import Message
from ingest.discovery.registry import Registry
from ingest.discovery.relations import MEASUREMENTS
from ingest.discovery.states import Reader, reader_of
from ingest.discovery.templates import UnsaidError
from ingest.log import Record

KNOWN_TOPICS = 50_000


class Known(NamedTuple):
    """An entity, and what reads its value."""

    entity: str
    device: str
    quantity: str | None
    unit: str | None
    read: Reader


class Discovered:
    """Decodes by a registry, which it keeps as of the entry that it decoded last."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._by_topic: dict[str, tuple[Readings, list[Known]]] = {}

    def take(self, record: Record, first: int = 0) -> list[Reading]:
        """Return what an announcement, or what people say, changes; ordinals go on from ``first``."""
        rows, problems = self.registry.take(record.offset, record.source, record.topic, record.payload)
        changed = [
            Reading(table, sign, row, record.offset, ordinal, record.received)
            for ordinal, (sign, table, row) in enumerate(rows, first)
        ]
        return changed + _rejects(record, problems, first + len(changed))

    def measured(self, record: Record, first: int = 0) -> list[Reading]:
        """Return what a message says of known entities."""
        found = self.registry.read_from(record.topic)
        if not found or not record.payload:
            return []
        try:
            message = Message(record.payload)
        except FieldError as error:
            return [reject(record, first, str(error))]
        readings: list[Reading] = []
        problems: list[str] = []
        unsaid = ""
        offset, at = record.offset, record.received
        for entity, device, quantity, unit, read in self._known(record.topic, found):
            try:
                said = read(message)
            except UnsaidError as error:
                unsaid = unsaid or f"entity {entity}: {error}"
                continue
            except FieldError as error:
                problems.append(f"entity {entity}: {error}")
                continue
            if said is not None:
                row = (entity, device, quantity, *said, unit, at)
                readings.append(Reading(MEASUREMENTS.name, 1, row, offset, first + len(readings), at))
        if unsaid and not readings and not problems:
            problems.append(unsaid)
        return readings + _rejects(record, problems, first + len(readings))

    def _known(self, topic: str, readings: Readings) -> list[Known]:
        found = self._by_topic.get(topic)
        if found is None or found[0] is not readings:
            if len(self._by_topic) >= KNOWN_TOPICS:
                self._by_topic.clear()
            found = self._by_topic[topic] = readings, [_known(*each) for each in readings]
        return found[1]


def _known(entity: Entity, extract: Extract) -> Known:
    return Known(entity.id, entity.device, entity.quantity, entity.unit, reader_of(extract))


def _rejects(record: Record, problems: Iterable[str], first: int) -> list[Reading]:
    return [reject(record, ordinal, problem) for ordinal, problem in enumerate(problems, first)]
