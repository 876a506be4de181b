"""The sinks of one installation, put together: displays, alarms, and MQTT where there is a broker."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from app.alarming.service import Alarming
from app.announcer import Announcer
from app.config import WebConfig
from app.facade import Engine
from app.outputs import ALARM, MQTT
from app.retained import Retained
from app.routes import Sink
from app.routing import Router
from app.why import effort, told
from engine.model.values import Row


class Outlets:
    """What OUTPUT TO leads to; ``router`` carries the rows."""

    def __init__(
        self,
        engine: Engine,
        config: WebConfig,
        tell_alarm: Callable[[dict[str, Any]], None],
        tell_routed: Callable[[], None],
    ) -> None:

        def explain(view: str, row: Row) -> dict[str, Any]:
            return told(engine.why(view, row, effort()))

        database = config.database_url or f"sqlite:///{config.state / 'outputs.db'}"
        self.alarming = Alarming(database, config, tell_alarm, explain)
        sinks: dict[str, Sink] = {ALARM: self.alarming.sink}
        self._announcer: Announcer | None = None
        if config.mqtt_url:
            name = f"smartcis-out-{hashlib.sha256(str(config.state).encode()).hexdigest()[:10]}"
            self._announcer = sinks[MQTT] = Announcer(config.mqtt_url, name, Retained(database))
        self.router = Router(engine, sinks, tell_routed, config.is_current)

    def start(self) -> None:
        self.router.start()
        self.alarming.start()

    def stop(self) -> None:
        self.router.stop()
        if self._announcer is not None:
            self._announcer.close()
        self.alarming.stop()

    def displays(self) -> Mapping[str, tuple[str, ...]]:
        """Return the views on each display."""
        return self.router.displays()

    def health(self) -> dict[str, str]:
        """Return how the publishing goes, where anything is published."""
        found = self._announcer.health() if self._announcer is not None else None
        return {} if found is None else {"OUTPUT TO MQTT": found}
