"""What devices say: topic parts and JSON payload, by every stream whose pattern matches the topic.

    stream, topic → decoder, compiled once → payload → row

What a stream does not declare is ignored.
"""

from collections.abc import Callable, Iterable
from typing import Any

from engine.model.clock import SECOND
from engine.model.reading import Reading
from engine.model.values import Row
from ingest.decoding.payload import kind_of, parse
from ingest.decoding.rejects import reject
from ingest.decoding.values import FieldError, reader_of
from ingest.log import Record
from ingest.sources import MqttStream

KNOWN_TOPICS = 50_000

StreamDecoder = Callable[[Any, int], Row]


class Messages:
    """Decodes messages of declared streams."""

    def __init__(self, streams: Iterable[MqttStream]) -> None:
        self._streams = [(stream, stream.topic) for stream in streams if stream.topic is not None]
        self._by_topic: dict[str, list[tuple[str, StreamDecoder]]] = {}

    def decode(self, record: Record) -> list[Reading]:
        """Return the readings of one message."""
        offset, at, _, topic, _, payload = record
        decoders = self._by_topic.get(topic)
        if decoders is None:
            decoders = self._learn(topic)
        if not decoders:
            return [reject(record, 0, f"no source declares topic {topic}")]
        try:
            found = parse(payload)
        except FieldError as error:
            return [reject(record, 0, str(error))]
        readings = []
        for ordinal, (name, decode) in enumerate(decoders):
            try:
                readings.append(Reading(name, 1, decode(found, at), offset, ordinal, at))
            except FieldError as error:
                readings.append(reject(record, ordinal, f"stream {name}: {error}"))
        return readings

    def declares(self, topic: str) -> bool:
        """Tell whether a declared stream takes what comes under a topic."""
        decoders = self._by_topic.get(topic)
        return bool(self._learn(topic) if decoders is None else decoders)

    def _learn(self, topic: str) -> list[tuple[str, StreamDecoder]]:
        """Compile what decodes this topic. Topics are few; a sender of ever new ones must not fill memory."""
        if len(self._by_topic) >= KNOWN_TOPICS:
            self._by_topic.clear()
        matching = (stream for stream, pattern in self._streams if pattern.matches(topic))
        decoders = [(stream.name, stream_decoder(stream, topic)) for stream in matching]
        self._by_topic[topic] = decoders
        return decoders


def stream_decoder(stream: MqttStream, topic: str) -> StreamDecoder:
    """Return what makes a row of a parsed payload that came under a topic, or raises FieldError."""
    levels = topic.split("/")
    readers = [reader_of(field, levels) for field in stream.fields]
    needs_object = any(field.path for field in stream.fields)

    def decode(found: Any, _received: int) -> Row:
        if needs_object and type(found) is not dict:
            msg = f"payload is {kind_of(found)}; expected an object"
            raise FieldError(msg)
        return tuple([read(found) for read in readers])

    return decode if stream.event_time is None else _timely(stream, decode)


def _timely(stream: MqttStream, decode: StreamDecoder) -> StreamDecoder:
    """Decode what says when it happened, and no later than what the skew lets it."""
    position = [field.name for field in stream.fields].index(stream.event_time or "")
    allowed = f"it may lie {stream.skew / SECOND:g} s ahead"

    def decode_timely(found: Any, received: int) -> Row:
        row = decode(found, received)
        at = row[position]
        if not isinstance(at, int):
            msg = f"event time {stream.event_time} is NULL; expected when it happened"
            raise FieldError(msg)
        if at > received + stream.skew:
            ahead = (at - received) / SECOND
            msg = f"event time {stream.event_time} lies {ahead} s ahead of its arrival; {allowed}"
            raise FieldError(msg)
        return row

    return decode_timely
