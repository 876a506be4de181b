"""Devices that mapped streams speak of, as far as a topic alone tells which: they never announce themselves.

    topic, the first time it is heard  →  what is measured there, and of which device  →  registry

Which topics were heard is remembered beside the log, so that after a restart a device that is silent is
known, and in time stale.
"""

from collections.abc import Iterable, Sequence

from ingest.decoding.measured import met_under
from ingest.discovery.known import Met
from ingest.discovery.registry import Registry
from ingest.sources import MqttStream
from ingest.topics import TopicPattern

SOURCE = "mapped"
MAX_TOPICS = 50_000


class Mapped:
    """What the topics tell that were heard; beyond MAX_TOPICS of them others are not looked at."""

    def __init__(self) -> None:
        self._streams: tuple[MqttStream, ...] = ()
        self._under: dict[str, tuple[Met, ...]] = {}
        self._gone: list[str] = []

    @property
    def patterns(self) -> tuple[TopicPattern, ...]:
        """The topics on which such devices may speak."""
        return tuple(stream.topic for stream in self._streams if stream.topic is not None)

    def declare(self, streams: Sequence[MqttStream]) -> None:
        """Go by these streams from now on."""
        heard = (each for each in streams if each.topic is not None)
        self._streams = tuple(each for each in heard if each.measures is not None)
        self._under = {topic: self._told(topic) for topic in self._under}

    def restore(self, topics: Iterable[str]) -> None:
        self._under = {topic: self._told(topic) for topic in topics}

    def meet(self, topics: Iterable[str], registry: Registry) -> tuple[bool, list[str]]:
        """Have the registry know who speaks on these topics; tell whether it did not, and the new topics."""
        first, is_news = [], False
        for topic in topics:
            if topic not in self._under and len(self._under) < MAX_TOPICS:
                self._under[topic] = self._told(topic)
                first += [topic] if self._under[topic] else []
            for met in self._under.get(topic, ()):
                is_news |= bool(registry.meet(met).rows)
        return is_news, first

    def forget(self, device: str) -> None:
        """Let go of the topics that a device spoke on; it is met again when it speaks again."""
        gone = [topic for topic, mets in self._under.items() if any(met.device == device for met in mets)]
        for topic in gone:
            del self._under[topic]
        self._gone += gone

    def take_gone(self) -> list[str]:
        """Return the topics that were let go of since this was asked last."""
        found, self._gone = self._gone, []
        return found

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(self._under)

    def _told(self, topic: str) -> tuple[Met, ...]:
        of = (each for each in self._streams if each.topic is not None and each.topic.matches(topic))
        return tuple(met for stream in of for met in met_under(stream, topic))
