"""What people say of a device, as entries of the log that the registry folds.

    entry of source ``registry``, topic the device:   {"name", "room", "desk", "disabled"}, as far as said
                                                      {"forgotten": true}

Each entry has all that people say, so the newest of a device is enough. Whoever says something is answered
once the engine has read it, so that what comes next can see it.
"""

import json
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from app.waiting_list import WaitingList
from engine.model.errors import QueryError
from engine.service import Engine
from ingest.log import REGISTRY_SOURCE, Entry, Log

FORGOTTEN = "forgotten"
SAYINGS = ("name", "room", "desk", "disabled")
Words = Mapping[str, Any]
SayOfDevice = Callable[[str, Words], None]


def nobody_listens(device: str, words: Words) -> None:
    """Tell nobody: there is no log."""
    message = f"nothing can be said of {device}: this server has no log"
    raise QueryError(message)


class DeviceWords:
    """Writes what people say; one at a time, each on what was said before."""

    def __init__(self, engine: Engine, log: Log) -> None:
        self._log, self._due = log, WaitingList(engine)
        self._said: dict[str, dict[str, Any]] = {}
        self._at = 0
        self._lock = Lock()

    def say(self, device: str, words: Words) -> None:
        """Say this of a device from now on; a word that is None is taken back."""
        with self._lock:
            self._learn()
            said = {**self._said.get(device, {}), **words}
            body = {word: value for word, value in said.items() if value is not None}
            if words.get(FORGOTTEN):
                body = {FORGOTTEN: True}
            offset = self._log.append([Entry(REGISTRY_SOURCE, device, json.dumps(body).encode())]).offset
        self._due.wait(offset)

    def _learn(self) -> None:
        for offset, source, device, body in self._log.announced(self._at):
            self._at = offset
            if source == REGISTRY_SOURCE:
                found = json.loads(body)
                self._said[device] = {} if found.get(FORGOTTEN) is True else found
