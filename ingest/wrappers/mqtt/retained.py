"""Messages of ours that a broker is to keep for whoever comes later, and no others of ours.

    wanted = {topic: payload}     at each connection all are said, and what is no longer wanted is cleared

Which topics may still hold a message is remembered beside the log, written with the connection's own
state, so that what a past run said is cleared whatever ended it.
"""

import json
import threading
from collections.abc import Mapping

from paho.mqtt.client import Client

from ingest.log import StateChange
from ingest.log.writer import LogWriter

ITEM = "retained"
COMMIT_SECONDS = 1.0


class Retained:
    """What one client keeps at its broker; all calls but ``want`` come from the client's thread."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._wanted: Mapping[str, bytes] = {}
        self._said: dict[str, bytes | None] = {}

    def restore(self, state: Mapping[str, str]) -> None:
        self._said = dict.fromkeys(json.loads(state.get(ITEM, "[]")))

    def want(self, messages: Mapping[str, bytes]) -> None:
        self._wanted = dict(messages)

    @property
    def is_behind(self) -> bool:
        return self._said != self._wanted

    def forget_said(self) -> None:
        """Take it that the broker may have lost everything: a connection begins."""
        self._said = dict.fromkeys(self._said)

    def say(self, client: Client, writer: LogWriter) -> None:
        """Say what is wanted and was not said, and clear what is not; their topics are committed before.

        Where that takes too long nothing is said; it is tried again.
        """
        wanted, remembered = self._wanted, threading.Event()
        topics = json.dumps(sorted({*wanted, *self._said}))
        writer.submit([], remembered.set, [StateChange(self._source, ITEM, topics)])
        if not remembered.wait(COMMIT_SECONDS):
            return
        for topic in self._said.keys() - wanted.keys():
            client.publish(topic, b"", qos=1, retain=True)
        for topic, payload in wanted.items():
            if self._said.get(topic) != payload:
                client.publish(topic, payload, qos=1, retain=True)
        self._said = dict(wanted)
