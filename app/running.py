"""Who runs on a state folder: a locked file, with the address of whoever holds it.

The lock goes with the process, however it ends; the file's text alone proves nothing.
"""

import fcntl
import json
import os
import threading
from typing import IO, NamedTuple

import psutil

from app.settings import Settings

FILE = "running.json"
ENDING_TURNS, ENDING_PAUSE = 150, 0.2  # a server whose parent was killed needs a few seconds to leave


class Running(NamedTuple):
    """A server that is there."""

    url: str
    pid: int


def claim(settings: Settings) -> Running | IO[str]:
    """Take the state folder; return what must be kept open, or who has it."""
    settings.state.mkdir(parents=True, exist_ok=True)
    file = (settings.state / FILE).open("a+", encoding="utf-8")
    pause = threading.Event()
    for _ in range(ENDING_TURNS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            holder = _read(file)
            if psutil.pid_exists(holder.pid):
                return holder
            pause.wait(ENDING_PAUSE)
    else:
        return holder
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
    try:
        found = json.load(file)
        return Running(str(found["url"]), int(found["pid"]))
    except (ValueError, KeyError, TypeError):  # whoever holds it is about to write it, or somebody else wrote
        return Running("an address that is not known", os.getpid())
