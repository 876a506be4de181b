"""What the broker is asked for: what is declared, and what announces devices."""

from collections.abc import Callable, Mapping, Sequence

from ingest.log import Log
from ingest.log_writer import LogWriter
from ingest.topics import TopicPattern
from ingest.wrapper import Wrapper
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.care import Cares
from ingest.wrappers.mqtt.wrapper import MqttWrapper

MakeMqtt = Callable[[Asked], MqttWrapper]


class Listening:
    """The building's broker, and who is heard there."""

    def __init__(self, log: Log, make_mqtt: MakeMqtt) -> None:
        self._log, self._make_mqtt = log, make_mqtt
        self._mqtt: MqttWrapper | None = None

    def wrappers(self) -> list[Wrapper]:
        return [self._mqtt] if self._mqtt is not None else []

    @property
    def has_begun(self) -> bool:
        return self._mqtt is not None

    def declare(self, topics: Sequence[TopicPattern], cares: Cares, writer: LogWriter) -> None:
        """Listen to these from now on; return when the broker has agreed, or does not answer."""
        if self._mqtt is not None:
            self._mqtt.heed(cares)
            self._mqtt.ask(Asked(topics))
        else:
            self._mqtt = self._make_mqtt(Asked(topics))
            self._mqtt.heed(cares)
            self._mqtt.open(writer, self._log)

    def keep(self, messages: Mapping[str, bytes]) -> None:
        """Have the broker keep these messages, by topic, and no others of ours."""
        if self._mqtt is not None:
            self._mqtt.keep(messages)
