"""What devices say: topic parts and payload, by every stream whose pattern matches the topic.

    streams, topic → decoders, compiled once → payload, parsed once for each way to parse it → rows

What a stream does not declare is ignored. A row is followed by what its stream declares to be measurements.
"""

from collections.abc import Iterable
from typing import Any

from engine.model.errors import SourceError
from engine.model.reading import Reading
from ingest.decoding.measured import Signed, told_of
from ingest.decoding.rejects import reject
from ingest.decoding.streams import CompiledStream, Parse, StreamDecoder
from ingest.decoding.values import FieldError
from ingest.discovery.registry import Registry
from ingest.log import Record
from ingest.sources import MqttStream

KNOWN_TOPICS = 50_000
NOT_SHOWN = "not shown: it says who somebody is"


class Messages:
    """Decodes messages of declared streams; ``key`` is what pseudonyms are made with."""

    def __init__(
        self, streams: Iterable[MqttStream], key: bytes = b"", registry: Registry | None = None
    ) -> None:
        self._streams = [
            (CompiledStream(each, key), each.topic) for each in streams if each.topic is not None
        ]
        self._by_topic: dict[str, list[list[StreamDecoder]]] = {}
        self._registry = registry or Registry()
        hiding = [of.stream.name for of, _ in self._streams if of.hides]
        if hiding and not key:
            msg = f"stream {hiding[0]} has pseudonyms; expected a key for them, from the state folder"
            raise SourceError(msg)

    def decode(self, record: Record) -> list[Reading]:
        """Return the readings of one message."""
        topic = record.topic
        groups = self._by_topic.get(topic)
        if groups is None:
            groups = self._learn(topic)
        if not groups:
            return [reject(record, 0, f"no source declares topic {topic}")]
        readings: list[Reading] = []
        news: list[Signed] = []
        for alike in groups:
            try:
                found = alike[0].parse(record.payload)
            except FieldError as error:
                hides = next((each for each in alike if each.hides), alike[0])
                readings.append(_refused(record, len(readings), hides, str(error)))
                continue
            for decoder in alike:
                self._decode(decoder, found, record, readings, news)
        for sign, table, row in news:
            readings.append(Reading(table, sign, row, record.offset, len(readings), record.received))
        return readings

    def declares(self, topic: str) -> bool:
        """Tell whether a declared stream takes what comes under a topic."""
        groups = self._by_topic.get(topic)
        return bool(self._learn(topic) if groups is None else groups)

    def _decode(
        self, decoder: StreamDecoder, found: Any, record: Record, readings: list[Reading], news: list[Signed]
    ) -> None:
        """Add what one stream has of a message; what is new of devices goes into ``news``."""
        name, offset, at = decoder.name, record.offset, record.received
        for row in decoder.rows(found, at):
            if isinstance(row, FieldError):
                readings.append(_refused(record, len(readings), decoder, f"stream {name}: {row}"))
                continue
            readings.append(Reading(name, 1, row, offset, len(readings), at))
            if decoder.measured is not None:
                for sign, table, each in told_of(self._registry, decoder.measured(row, at), news):
                    readings.append(Reading(table, sign, each, offset, len(readings), at))

    def _learn(self, topic: str) -> list[list[StreamDecoder]]:
        """Compile what decodes a topic, by how it parses; a sender of ever new ones must not fill memory."""
        if len(self._by_topic) >= KNOWN_TOPICS:
            self._by_topic.clear()
        matching = (of for of, pattern in self._streams if pattern.matches(topic))
        alike: dict[Parse, list[StreamDecoder]] = {}
        for decoder in (StreamDecoder(of, topic) for of in matching):
            alike.setdefault(decoder.parse, []).append(decoder)
        self._by_topic[topic] = [*alike.values()]
        return self._by_topic[topic]


def _refused(record: Record, ordinal: int, decoder: StreamDecoder, reason: str) -> Reading:
    """Return a reject that says no more of a person than the stream does."""
    if not decoder.hides:
        return reject(record, ordinal, reason)
    return reject(record._replace(topic=decoder.shown_topic), ordinal, reason, NOT_SHOWN)
