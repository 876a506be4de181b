"""Waiting for a condition with a deadline, and free ports."""

import socket
import threading
import time
from collections.abc import Callable

BETWEEN_TRIES = 0.02


def until(condition: Callable[[], object], within: float, what: str) -> None:
    """Returns as soon as the condition is true; fails, naming what was awaited, after `within` seconds."""
    deadline = time.monotonic() + within
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            message = f"waited {within} s for {what}"
            raise TimeoutError(message)
        pause.wait(BETWEEN_TRIES)


def free_port() -> int:
    """A TCP port of 127.0.0.1 on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether somebody accepts connections on the port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
