"""What messages would become, were a file's streams declared: the decoder's own answers, and nothing is kept.

streams, messages  →  of each stream its rows and its rejects, each with where it came from
                   →  topics that no stream maps
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.model.values import Row
from ingest.decoding.streams import CompiledStream, StreamDecoder
from ingest.decoding.values import FieldError
from ingest.discovery.topics import announces
from ingest.overhearing import Message
from ingest.sources import RESERVED, MqttStream

SAMPLES = 5
KEY = b"of a trial alone"


class Sample(NamedTuple):
    """A message, and a row or a reason that came of it."""

    topic: str
    payload: bytes
    outcome: Row | str


@dataclass
class StreamTrial:
    """What one stream has of the messages; samples are the newest rows, and the first of each reason."""

    stream: MqttStream
    messages: int = 0
    rows: list[Sample] = field(default_factory=list)
    row_count: int = 0
    rejects: dict[str, Sample] = field(default_factory=dict)
    reject_count: int = 0

    def take(self, message: Message, decoder: StreamDecoder) -> None:
        """Decode a message of the stream."""
        self.messages += 1
        for outcome in decoder.decode(message.payload, message.received):
            if isinstance(outcome, FieldError):
                self.reject_count += 1
                reason = str(outcome)
                if len(self.rejects) < SAMPLES:
                    self.rejects.setdefault(reason, Sample(message.topic, message.payload, reason))
                continue
            self.row_count += 1
            self.rows = [*self.rows[1 - SAMPLES :], Sample(message.topic, message.payload, outcome)]


@dataclass
class Trial:
    """What all streams have of the messages, and what none of them maps."""

    streams: list[StreamTrial]
    messages: int = 0
    announcements: int = 0
    unmapped: dict[str, Message] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        """Tell whether every stream has a row, and no message was refused."""
        return all(each.row_count and not each.reject_count for each in self.streams)


def tried(
    streams: Sequence[MqttStream], messages: Iterable[Message], others: Sequence[MqttStream] = ()
) -> Trial:
    """Return what the messages would become; what ``others`` map is mapped already."""
    trial = Trial([StreamTrial(stream) for stream in streams if stream.topic is not None])
    decoders: dict[tuple[str, str], StreamDecoder] = {}
    for message in messages:
        trial.messages += 1
        matching = [each for each in trial.streams if _maps(each.stream, message.topic)]
        for each in matching:
            place = (each.stream.name, message.topic)
            if place not in decoders:
                decoders[place] = StreamDecoder(CompiledStream(each.stream, KEY), message.topic)
            each.take(message, decoders[place])
        if announces(message.topic):
            trial.announcements += 1
        elif not matching and not _is_known(message.topic, others):
            trial.unmapped[message.topic] = message
    return trial


def _is_known(topic: str, others: Sequence[MqttStream]) -> bool:
    return topic.partition("/")[0] in RESERVED or any(_maps(each, topic) for each in others)


def _maps(stream: MqttStream, topic: str) -> bool:
    return stream.topic is not None and stream.topic.matches(topic)
