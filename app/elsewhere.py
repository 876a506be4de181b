"""What keeps other sites in step with the session: asked for what it wants, and again where it was lost."""

from app.fragments import Fragments
from app.renewing import Renewing, renewer
from engine.service import Engine
from ingest.log import Log


class Elsewhere:
    """The declarations of fragments, and the gateways that are late."""

    def __init__(self, engine: Engine, log: Log, mqtt_url: str) -> None:
        self._engine = engine
        self._fragments = Fragments(engine.shipped, log)
        self._renewing = Renewing(engine.awaited, renewer(mqtt_url))

    def start(self) -> None:
        self._engine.on_tick(self._fragments.look)
        self._fragments.start()
        self._renewing.start()

    def stop(self) -> None:
        self._fragments.stop()
        self._renewing.stop()
