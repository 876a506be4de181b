"""A database that says by itself that something changed: PostgreSQL's LISTEN and NOTIFY.

    NOTIFY channel  →  poll now

It only hastens the next poll: what is lost while the connection is down is found by polling.
"""

import threading
from collections.abc import Callable

import psycopg
from psycopg import sql

from engine.model.errors import SourceError
from ingest.log.schema import parse_url

LOOK_SECONDS = 0.5
FIRST_RETRY, LAST_RETRY = 0.2, 5.0


class Listener:
    """Listens in a thread of its own; ``problem`` is why it does not."""

    def __init__(self, url: str, channel: str, hasten: Callable[[], None]) -> None:
        parsed = parse_url(url)
        if parsed.get_backend_name() != "postgresql":
            msg = (
                f"notify is declared for {parsed.get_backend_name()}; expected postgresql, others are polled"
            )
            raise SourceError(msg)
        self._address = parsed.set(drivername="postgresql")
        self._channel, self._hasten = channel, hasten
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"listen {channel}", daemon=True)
        self.problem = ""

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        self._thread.join(5)

    def _run(self) -> None:
        wait = FIRST_RETRY
        while not self._ending.is_set():
            try:
                self._listen()
                wait = FIRST_RETRY
            except psycopg.Error as error:
                self.problem = f"not notified ({' '.join(str(error).split())[:100]}), polling alone"
                self._ending.wait(wait)
                wait = min(2 * wait, LAST_RETRY)

    def _listen(self) -> None:
        address = self._address.render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True, connect_timeout=5) as connection:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
            self.problem = ""
            self._hasten()
            while not self._ending.is_set():
                for _ in connection.notifies(timeout=LOOK_SECONDS, stop_after=1):
                    self._hasten()
