"""Waiting for a condition with a deadline, how slow the machine is just now, and free ports.

A deadline is written as a quiet machine would need it. A shared machine may take ``PATIENCE`` times as
long, and a wait that ends well ends as soon as it can, so patience costs only the tests that fail.
"""

import socket
import threading
import time
from collections.abc import Callable

BETWEEN_TRIES = 0.02
PATIENCE = 8
YARDSTICK = 200_000
YARDSTICK_SECONDS = 0.02  # what so many additions take where nobody else runs


def until(condition: Callable[[], object], within: float, what: str) -> None:
    """Returns as soon as the condition is true; fails, naming what was awaited, when patience ends."""
    deadline = time.monotonic() + within * PATIENCE
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            message = f"waited {within * PATIENCE} s for {what}"
            raise TimeoutError(message)
        pause.wait(BETWEEN_TRIES)


def slowness() -> float:
    """How many times as long as on a quiet machine some additions take just now; at least 1."""
    began, total = time.perf_counter(), 0
    for number in range(YARDSTICK):
        total += number
    return max(1.0, (time.perf_counter() - began) / YARDSTICK_SECONDS)


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
