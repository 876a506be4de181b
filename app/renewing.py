"""A gateway that is up and has not said all of a fragment for a while is asked to say it again.

awaited now, and the last time we looked   →   gateway/<name>/renew, with the fragment's name

So a message that was lost for good, by whoever, is mended by the next incarnation of what it was part of.
"""

import threading
from collections.abc import Callable

import structlog

from engine.model.errors import SourceError
from ingest.commands import send_command

PERIOD_SECONDS = 5.0
Awaited = frozenset[tuple[str, str]]

logger = structlog.get_logger()


class Renewing:
    """Looks on a thread of its own; ``awaited`` are the gateways that have not answered, and what."""

    def __init__(self, awaited: Callable[[], Awaited], send: Callable[[str, str], None]) -> None:
        self._awaited, self._send = awaited, send
        self._before: Awaited = frozenset()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="renewing", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()

    def look(self) -> None:
        """Ask for what was on its way the last time too."""
        now = self._awaited()
        late, self._before = now & self._before, now
        for gateway, fragment in sorted(late):
            self._send(gateway, fragment)

    def _serve(self) -> None:
        while not self._ending.wait(PERIOD_SECONDS):
            try:
                self.look()
            except SourceError as error:
                logger.warning("a gateway cannot be asked again", error=error.message)


def renewer(mqtt_url: str) -> Callable[[str, str], None]:
    """Return what asks a gateway to say a fragment again."""
    return lambda gateway, fragment: send_command(mqtt_url, f"gateway/{gateway}/renew", fragment)
