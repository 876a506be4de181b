"""The keeper: a process of an executor that holds shares, and answers its Python tasks over a local socket.

    python -m engine.spark.partitions.keeper SOCKET DAEMON

It ends when the executor's Python daemon does: tasks come and go, and the daemon is there as long as the
executor is.
"""

import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import NoReturn

from engine.spark.partitions.framing import receive, send
from engine.spark.partitions.shelf import Shelf

LOOK_SECONDS = 0.5


class Keeper:
    """Answers whoever connects, one question at a time."""

    def __init__(self, path: Path) -> None:
        self._shelf = Shelf()
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        # Bound under another name first: whoever finds the name finds somebody who listens.
        behind = path.with_name(f"{path.name}.{os.getpid()}")
        self._listener.bind(str(behind))
        self._listener.listen(64)
        os.link(behind, path)
        behind.unlink()

    def run(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(EOFError, ConnectionError):
            while True:
                asked = receive(connection)
                with self._lock:
                    answer = self._shelf.answer(asked)
                send(connection, answer)


def end_with(process: int, path: Path) -> None:
    """End once a process is gone."""
    gone = threading.Event()
    while not gone.wait(LOOK_SECONDS):
        if not is_alive(process):
            leave(path)


def leave(path: Path) -> NoReturn:
    """End, and take the socket's names along."""
    for name in (path, path.with_suffix(".lock")):
        name.unlink(missing_ok=True)
    os._exit(0)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    path, daemon = Path(sys.argv[1]), int(sys.argv[2])
    gc.disable()  # shares have no cycles, and millions of rows that it would look through again and again
    try:
        keeper = Keeper(path)
    except FileExistsError:
        return  # another task was quicker
    for asked in (signal.SIGHUP, signal.SIGTERM):  # the daemon's last word to its group
        signal.signal(asked, lambda *_: leave(path))
    threading.Thread(target=end_with, args=(daemon, path), daemon=True).start()
    keeper.run()


if __name__ == "__main__":
    main()
