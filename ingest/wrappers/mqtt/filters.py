"""What is subscribed to, and no longer; what may still be subscribed is remembered beside the log."""

import json
from collections.abc import Sequence
from threading import Event

from paho.mqtt.client import Client

from ingest.log import StateChange
from ingest.log.writer import LogWriter

ITEM = "filters"


class Filters:
    """The topic filters of one client; all calls but ``want`` come from the client's thread."""

    def __init__(self, source: str, wanted: Sequence[str]) -> None:
        self._source = source
        self._said = self._wanted = tuple(wanted)
        self._stale: set[str] = set()
        self.agreed = Event()

    def open(self, writer: LogWriter, known: dict[str, str]) -> None:
        self._writer = writer
        self._stale = set(json.loads(known.get(ITEM, "[]")))

    def want(self, filters: Sequence[str]) -> bool:
        """Ask for these from now on; tell whether that changes anything."""
        if set(filters) == set(self._wanted):
            return False
        self.agreed.clear()
        self._wanted = tuple(filters)
        return True

    @property
    def is_behind(self) -> bool:
        return self._wanted != self._said

    def begin(self, client: Client) -> None:
        """Subscribe on a new connection to all that is wanted, and to nothing of a past run."""
        self._said = self._wanted
        for stale in self._stale - set(self._said):
            client.unsubscribe(stale)
        self._subscribe(client, self._said)

    def change(self, client: Client) -> None:
        """Subscribe to what is wanted before leaving what is not: twice is better than not at all."""
        before, self._said = self._said, self._wanted
        self._subscribe(client, [one for one in self._said if one not in before])
        for stale in set(before) - set(self._said):
            client.unsubscribe(stale)
            self.agreed.set()

    def _subscribe(self, client: Client, filters: Sequence[str]) -> None:
        if filters:
            client.subscribe([(one, 1) for one in filters])
        self._stale |= set(filters)
        self._writer.submit([], state=[StateChange(self._source, ITEM, json.dumps(self._said))])
