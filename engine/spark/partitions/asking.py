"""How a Python task of Spark reaches the keeper of its partition, and starts it where there is none.

The socket's name has the number of the executor's Python daemon, which is the parent of its Python workers
and there as long as the executor is; an executor has as many keepers as processors.
"""

import fcntl
import gc
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from engine.spark.partitions.framing import receive, send
from engine.spark.partitions.shelf import Answered, Asked

START_SECONDS = 60.0
AGAIN_SECONDS = 0.01

_connections: dict[Path, socket.socket] = {}


def ask(partition: int, asked: Asked) -> Answered:
    """Ask the keeper of a partition."""
    path = socket_of(partition)
    for _ in range(2):
        connection = _connections.get(path) or _connected(path)
        try:
            send(connection, asked)
            return receive(connection)  # type: ignore[no-any-return]
        except (EOFError, ConnectionError):
            _connections.pop(path).close()  # the keeper is gone; another is asked, and knows of nothing
    message = "the keeper of a partition ends while it is asked"
    raise ConnectionError(message)


def socket_of(partition: int) -> Path:
    folder = Path(tempfile.gettempdir()) / f"smartcis-keepers-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        message = f"{folder} belongs to another user; remove it, or set TMPDIR"
        raise PermissionError(message)
    return folder / f"{os.getppid()}-{partition % (os.cpu_count() or 1)}"


def _connected(path: Path) -> socket.socket:
    """Connect to a keeper; one task at a time looks whether there is one, and starts it."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        connection = _maybe_connected(path)
        if connection is None:
            connection = _started(path)
    gc.freeze()  # the worker collects after each task, and what was imported is not what it looks for
    _connections[path] = connection
    return connection


def _maybe_connected(path: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection


def _started(path: Path) -> socket.socket:
    """Start a keeper; a name that nobody answers to is one that was left behind."""
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "engine.spark.partitions.keeper", str(path), str(os.getppid())]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    deadline, again = time.monotonic() + START_SECONDS, threading.Event()
    while (connection := _maybe_connected(path)) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            message = f"the keeper of {path} did not start; python -m engine.spark.partitions.keeper says why"
            raise ConnectionError(message)
        again.wait(AGAIN_SECONDS)
    return connection
