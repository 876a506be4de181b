"""Alarms of one installation, put together: what keeps them, who tells of them, and to whom."""

from collections.abc import Callable

from app.alarming.channels import Channels
from app.alarming.notifier import Notifier
from app.alarming.outbox import Outbox
from app.alarming.senders import Senders
from app.alarming.sink import Alarms, Explain
from app.alarming.store import Alarm, AlarmStore
from app.config import WebConfig


class Alarming:
    """``sink`` takes rows in; ``link`` is where people find the alarms."""

    def __init__(
        self, database: str, config: WebConfig, tell: Callable[[Alarm], None], explain: Explain
    ) -> None:
        clock = config.feed
        self.sink = Alarms(AlarmStore(database, clock), clock, tell, explain)
        self.channels = Channels(config.state / "alarm-channels.json")
        self.senders, self.outbox = Senders(config.mqtt_url), Outbox(database, clock)
        self.link = f"{config.address}/alarms"
        self._notifier = Notifier(self.outbox, self.channels, self.senders, self.link)

    def start(self) -> None:
        self._notifier.start()

    def stop(self) -> None:
        """Stop telling; what is left is told after the next start."""
        self._notifier.stop()
        self.sink.close()
