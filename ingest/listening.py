"""What the broker is asked for: what is declared, and what devices announced.

    look:  announcements in the log since  →  registry  →  topics to listen to, or no longer to
                                                        →  what the broker is to forget of forgotten devices
           what was heard since            →  states of devices  →  log

The registry is folded from the log, as the decoder folds it: both know of the same devices by the same
entries, and what people say of a device (``registry``) reaches both.
"""

from collections.abc import Callable, Mapping, Sequence

from engine.model.clock import Clock
from ingest.discovery.forgotten import Forgotten
from ingest.discovery.presence import SOURCE, Presence, entry_of
from ingest.discovery.registry import Registry
from ingest.log import Log, StateChange
from ingest.log_writer import LogWriter
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
        self._declared: tuple[TopicPattern, ...] = ()
        self._at = 0

    def wrappers(self) -> list[Wrapper]:
        return [self._mqtt] if self._mqtt is not None else []

    @property
    def has_begun(self) -> bool:
        return self._mqtt is not None

    def declare(self, topics: Sequence[TopicPattern], cares: Cares, writer: LogWriter) -> None:
        """Listen to these from now on; return when the broker has agreed, or does not answer."""
        self._declared = tuple(topics)
        if self._mqtt is not None:
            self._mqtt.heed(cares)
            self._mqtt.ask(self._asked())
            return
        self._learn()
        self._presence.restore(self._log.state(SOURCE), self._clock.now())
        self._mqtt = self._make_mqtt(self._asked())
        self._mqtt.heed(cares)
        self._follow(self._mqtt)
        self._mqtt.open(writer, self._log)

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
        changes = self._presence.advance(self._mqtt.heard.take(), self._clock.now())
        if changes:
            state = [StateChange(SOURCE, each.device, each.state) for each in changes]
            writer.submit([entry_of(changes)], None, state)

    def _learn(self) -> bool:
        """Fold what was announced since; tell whether that was anything."""
        found = self._log.announced(self._at)
        for each in found:
            self._forgotten.take(each, self._registry)
            self._registry.take(*each)
        if found:
            self._at = found[-1].offset
            wanted = (
                each
                for each in self._registry.entities.values()
                if not self._registry.is_disabled(each.device)
            )
            self._presence.learn(wanted, self._clock.now())
        return bool(found)

    def _follow(self, mqtt: MqttWrapper) -> None:
        mqtt.heard.follow(self._presence.topics)
        mqtt.clear(self._forgotten.topics)

    def _asked(self) -> Asked:
        return Asked(self._declared, self._presence.topics)
