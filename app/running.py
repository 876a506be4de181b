"""Who runs on a state folder: a locked file, with the address of whoever holds it.

The lock goes with the process, however it ends; the file's text alone proves nothing.
"""

import fcntl
import json
import os
from typing import IO, NamedTuple

from app.settings import Settings

FILE = "running.json"


class Running(NamedTuple):
    """A server that is there."""

    url: str
    pid: int


def claim(settings: Settings) -> Running | IO[str]:
    """Take the state folder; return what must be kept open, or who has it."""
    settings.state.mkdir(parents=True, exist_ok=True)
    file = (settings.state / FILE).open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return _read(file)
    file.seek(0)
    file.truncate()
    json.dump({"url": settings.url, "pid": os.getpid()}, file)
    file.flush()
    return file


def running(settings: Settings) -> Running | None:
    """Return who runs on the state folder, if anybody does."""
    try:
        with (settings.state / FILE).open("r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        with (settings.state / FILE).open("r", encoding="utf-8") as file:
            return _read(file)
    except OSError:
        return None
    return None


def _read(file: IO[str]) -> Running:
    file.seek(0)
    found = json.load(file)
    return Running(found["url"], found["pid"])
