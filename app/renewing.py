"""A gateway that is up and has not said all for a while is asked to say everything again.

looked at every PERIOD:   awaited now and the last time   →   gateway/<name>/renew

So a message that was lost for good, by whoever, is mended by the gateway's next life.
"""

import threading
from collections.abc import Callable, Collection

import structlog

from engine.model.errors import SourceError
from ingest.commands import send_command

PERIOD_SECONDS = 5.0

logger = structlog.get_logger()


class Renewing:
    """Looks on a thread of its own; ``awaited`` names the gateways from which an answer is on its way."""

    def __init__(self, awaited: Callable[[], Collection[str]], send: Callable[[str], None]) -> None:
        self._awaited, self._send = awaited, send
        self._before: Collection[str] = ()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="renewing", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()

    def look(self) -> None:
        """Ask those from which an answer was on its way the last time too."""
        now = self._awaited()
        late, self._before = sorted(set(now) & set(self._before)), now
        for name in late:
            self._send(name)

    def _serve(self) -> None:
        while not self._ending.wait(PERIOD_SECONDS):
            try:
                self.look()
            except SourceError as error:
                logger.warning("a gateway cannot be asked again", error=error.message)


def renewer(mqtt_url: str) -> Callable[[str], None]:
    """Return what asks a gateway to say everything again."""
    return lambda name: send_command(mqtt_url, f"gateway/{name}/renew", "{}")
