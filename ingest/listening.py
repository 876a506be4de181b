"""What the broker is asked for: what is declared, and what devices announced.

    look:  announcements in the log since  →  registry  →  topics to listen to, or no longer to
                                                        →  what the broker is to forget of forgotten devices
           what was heard since            →  devices that mapped streams speak of  →  registry
                                           →  states of devices  →  log

The registry is folded from the log, as the decoder folds it: both know of the same devices by the same
entries, and what people say of a device (``registry``) reaches both.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import structlog

from engine.model.clock import Clock
from ingest.discovery.forgotten import Forgotten, forgets
from ingest.discovery.index import NO_CHANGES
from ingest.discovery.mapped import SOURCE as MAPPED
from ingest.discovery.mapped import Mapped
from ingest.discovery.presence import SOURCE as STATES
from ingest.discovery.presence import Presence, entry_of
from ingest.discovery.registry import Registry
from ingest.log import REGISTRY_SOURCE, Announced, Log, StateChange
from ingest.log.writer import LogWriter
from ingest.sources import MqttStream
from ingest.topics import TopicPattern
from ingest.wrapper import Wrapper
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.care import Cares
from ingest.wrappers.mqtt.wrapper import MqttWrapper

MakeMqtt = Callable[[Asked], MqttWrapper]


class Listening:
    """The building's broker, and who is heard there."""

    def __init__(self, log: Log, make_mqtt: MakeMqtt, clock: Clock) -> None:
        self._log, self._make_mqtt, self._clock = log, make_mqtt, clock
        self._mqtt: MqttWrapper | None = None
        self._registry, self._forgotten, self._presence = Registry(), Forgotten(), Presence()
        self._mapped = Mapped()
        self._declared: tuple[TopicPattern, ...] = ()
        self._at = 0

    def wrappers(self) -> list[Wrapper]:
        return [self._mqtt] if self._mqtt is not None else []

    @property
    def has_begun(self) -> bool:
        return self._mqtt is not None

    def declare(
        self, topics: Sequence[TopicPattern], streams: Sequence[MqttStream], writer: LogWriter
    ) -> None:
        """Listen to these from now on; return when the broker has agreed, or does not answer."""
        self._declared = tuple(topics)
        self._mapped.declare(streams)
        if self._mqtt is not None:
            self._mqtt.heed(Cares(streams))
            self._meet(self._mapped.topics)
            self._follow(self._mqtt)
            self._mqtt.ask(self._asked())
            return
        self._restore()
        self._mqtt = self._make_mqtt(self._asked())
        self._mqtt.heed(Cares(streams))
        self._follow(self._mqtt)
        self._mqtt.open(writer, self._log)

    def _restore(self) -> None:
        """Know what the log knows of."""
        self._learn()
        self._mapped.restore(self._log.state(MAPPED))
        self._meet(self._mapped.topics)
        self._presence.restore(self._log.state(STATES), self._clock.now())

    def keep(self, messages: Mapping[str, bytes]) -> None:
        """Have the broker keep these messages, by topic, and no others of ours."""
        if self._mqtt is not None:
            self._mqtt.keep(messages)

    def look(self, writer: LogWriter) -> None:
        """Take in what was announced, and what was heard."""
        if self._mqtt is None:
            return
        if self._learn():
            self._follow(self._mqtt)
            self._mqtt.ask(self._asked(), patience=0)
        news = self._mqtt.heard.take()
        first = self._meet(news)
        changes = self._presence.advance(news, self._clock.now())
        entries = [entry_of(changes)] if changes else []
        state = [StateChange(STATES, each.device, each.state) for each in changes]
        state += [StateChange(MAPPED, topic, None) for topic in self._mapped.take_gone()]
        state += [StateChange(MAPPED, topic, "heard") for topic in first]
        if state:
            writer.submit(entries, None, state)

    def _meet(self, topics: Iterable[str]) -> list[str]:
        """Take in who speaks on mapped topics; return those that were not heard before."""
        is_news, first = self._mapped.meet(topics, self._registry)
        if is_news:
            self._look_through()
        if is_news and self._mqtt is not None:
            self._follow(self._mqtt)
        return first

    def _learn(self) -> bool:
        """Fold what was announced since; tell whether that said anything else."""
        found, is_news = self._log.announced(self._at), False
        for each in found:
            try:
                is_news |= self._takes(each)
            except Exception as error:  # what is announced must not end the acquisition at each start
                log = structlog.get_logger()
                log.warning("an announcement cannot be read", topic=each.topic, reason=repr(error)[:200])
        if found:
            self._at = found[-1].offset
        if is_news:
            self._look_through()
        return is_news

    def _takes(self, announced: Announced) -> bool:
        self._forgotten.take(announced, self._registry)
        if announced.source == REGISTRY_SOURCE and forgets(announced.body):
            self._mapped.forget(announced.topic)
        return self._registry.take(*announced) is not NO_CHANGES

    def _look_through(self) -> None:
        """Have the presence of devices go by the registry: by the entities of those that are not disabled."""
        known = self._registry
        wanted = (each for each in known.entities.values() if not known.is_disabled(each.device))
        self._presence.learn(wanted, self._clock.now())

    def _follow(self, mqtt: MqttWrapper) -> None:
        mqtt.heard.follow(self._presence.topics, self._mapped.patterns)
        mqtt.clear(self._forgotten.topics)

    def _asked(self) -> Asked:
        return Asked(self._declared, self._presence.topics)
