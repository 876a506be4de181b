"""What the devices of a gateway say.

    field/<gateway>/…   →   readings, kept a while for fragments to come       asked on demand
                        →   the same message under the stream's topic          handed on: the trivial fragment

Of each device the last ``KEPT`` readings are kept, on disk too, so that a window over them is complete from
its first tick, also after a restart (``kept``). What was handed on is said again at a reconnect where its
stream stands by the last message of each device alone: what the broker lost is then made good.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import structlog

from engine.model.reading import Reading
from engine.model.relation import Relation
from ingest.decoding.payload import one_line
from ingest.decoding.streams import CompiledStream, StreamDecoder
from ingest.decoding.values import FieldError
from ingest.gateways.kept import KEPT, MOST_DEVICES, Said
from ingest.gateways.rates import Rates
from ingest.sources import MqttStream

STANDS_BY_THE_LAST = re.compile(r"\s*PARTITION\s+BY\s+.*\sROWS\s+1\s*", re.IGNORECASE)

Readings = Mapping[str, Sequence[Reading]]
V = TypeVar("V")
NOBODY = "no stream of sources.yaml has a field like this"

log = structlog.get_logger(__name__)


class Speaking(NamedTuple):
    """What comes under one topic: the streams that are handed on, and what decodes those asked on demand."""

    handed_on: tuple[MqttStream, ...]
    asked: tuple[StreamDecoder, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (*(stream.name for stream in self.handed_on), *(decoder.name for decoder in self.asked))


class Devices:
    """All that speak on one gateway's bus."""

    def __init__(
        self,
        streams: Iterable[MqttStream],
        forward: Callable[[str, bytes], None],
        keep: Callable[[Said], None] = lambda _: None,
    ) -> None:
        heard = [stream for stream in streams if stream.bus is not None]
        asked = tuple(stream.on_bus() for stream in heard if stream.topic is None)
        self._handed_on = [stream for stream in heard if stream.topic is not None]
        self._asked = asked
        self._forward, self._keep = forward, keep
        self.relations: dict[str, Relation] = {stream.name: stream.relation() for stream in asked}
        self._kept: dict[str, dict[str, deque[Reading]]] = {name: {} for name in self.relations}
        self._last: dict[str, tuple[str, bytes]] = {}
        self._fresh: dict[str, list[Reading]] = {}
        self._topics: dict[str, Speaking] = {}
        self._said: dict[str, int] = {}
        self._rates = Rates()
        self._number = 0
        self.rejected, self.problem = 0, ""

    def heard(self, topic: str, payload: bytes, at: int, is_retained: bool = False) -> None:
        """Take what one device says; what the broker retained is nothing new if it was heard already."""
        said = hash(payload)
        if is_retained and self._said.get(topic) == said:
            return
        _keep(self._said, topic, said)
        speaking = self._topics.get(topic) or self._learn(topic)
        for name in () if is_retained else speaking.names:
            self._rates.count(name)
        for stream in speaking.handed_on:
            self._hand_on(stream, topic, payload)
        if not (speaking.handed_on or speaking.asked):
            self._reject(topic, NOBODY)
        for decoder in speaking.asked:
            for reading in self._read(decoder, payload, at):
                if isinstance(reading, FieldError):
                    self._reject(topic, f"stream {decoder.name}: {reading}")
                    continue
                self._take(reading, topic)
                self._fresh.setdefault(decoder.name, []).append(reading)
        if speaking.asked:
            self._keep(Said(topic, at, payload))

    def recall(self, heard: Iterable[Said], now: int) -> None:
        """Go on with what earlier lives heard; nothing of it is later than now, whatever the clock did."""
        for topic, at, payload in heard:
            _keep(self._said, topic, hash(payload))
            for decoder in (self._topics.get(topic) or self._learn(topic)).asked:
                for reading in self._read(decoder, payload, min(at, now)):
                    if isinstance(reading, Reading):  # what was rejected was said when it came
                        self._take(reading, topic)

    def _read(self, decoder: StreamDecoder, payload: bytes, at: int) -> Iterator[Reading | FieldError]:
        for row in decoder.decode(payload, at):
            if isinstance(row, FieldError):
                yield row
                continue
            self._number += 1
            yield Reading(decoder.name, 1, row, self._number, 0, at)

    def _reject(self, topic: str, reason: str) -> None:
        self.rejected += 1
        self.problem = f"{topic}: {one_line(reason)}"
        log.info("a device's message is rejected", topic=topic, reason=reason)

    def _learn(self, topic: str) -> Speaking:
        """Find what speaks under a topic; a sender of ever new ones must not fill memory."""
        if len(self._topics) >= MOST_DEVICES:
            self._topics.clear()
        handed_on = tuple(each for each in self._handed_on if each.bus and each.bus.matches(topic))
        asked = (each for each in self._asked if each.topic is not None and each.topic.matches(topic))
        decoders = tuple(StreamDecoder(CompiledStream(each), topic) for each in asked)
        self._topics[topic] = Speaking(handed_on, decoders)
        return self._topics[topic]

    def _hand_on(self, stream: MqttStream, topic: str, payload: bytes) -> None:
        to = stream.forwarded(topic)
        if STANDS_BY_THE_LAST.fullmatch(stream.window or ""):
            _keep(self._last, f"{stream.name} {topic}", (to, payload))
        self._forward(to, payload)

    def _take(self, reading: Reading, topic: str) -> None:
        kept = self._kept[reading.relation]
        device = kept.get(topic)
        if device is None:
            device = _keep(kept, topic, deque(maxlen=KEPT))
        device.append(reading)

    def take(self) -> Readings:
        """Return what was said since the last call."""
        fresh, self._fresh = self._fresh, {}
        return fresh

    def recent(self, relation: str) -> list[Reading]:
        """Return what is kept, in the order in which it came; what ``take`` did not return yet is apart."""
        fresh = {reading.offset for reading in self._fresh.get(relation, ())}
        kept = (reading for device in self._kept.get(relation, {}).values() for reading in device)
        return sorted((reading for reading in kept if reading.offset not in fresh), key=lambda r: r.offset)

    def say_again(self) -> None:
        """Hand on the last message of each device once more."""
        for to, payload in self._last.values():
            self._forward(to, payload)

    def figures(self, now: int) -> dict[str, dict[str, float]]:
        """Return of each stream how many devices speak and how many messages a second they said lately."""
        counts = {name: len(devices) for name, devices in self._kept.items()}
        counts |= {stream.name: self._count(stream) for stream in self._handed_on}
        rates = self._rates.at(now)
        return {name: {"devices": counts[name], "rate": rates.get(name, 0.0)} for name in counts}

    def _count(self, stream: MqttStream) -> int:
        return sum(stream in speaking.handed_on for speaking in self._topics.values())


def _keep(into: dict[str, V], key: str, value: V) -> V:
    """Put in; the oldest gives way where there are too many."""
    if key not in into and len(into) >= MOST_DEVICES:
        del into[next(iter(into))]
    into[key] = value
    return value
