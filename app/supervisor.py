"""The processes beside ours: the broker, the acquisition, the simulated devices.

Each is started with a pipe as its stdin and ends when that pipe ends, so that none outlives us,
whatever ends us (``ingest.lifeline``). One that ends by itself is started again, a little later
each time.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
GRACE_SECONDS = 5.0


class Child:
    """A process that is to run for as long as we do."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        logs: Path,
        is_kept: bool = True,
        on_finished: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._arguments = [sys.executable, "-m", *arguments]
        self._log = logs / f"{name}.log"
        self._is_kept = is_kept
        self._on_finished = on_finished
        self._ending = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name=f"child-{name}", daemon=True)

    def start(self) -> None:
        self._spawn()
        self._thread.start()

    def stop(self) -> None:
        """Let go of the lifeline, and wait."""
        self._ending.set()
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _spawn(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, stdout=log, stderr=log)

    def _keep(self) -> None:
        pause = FIRST_PAUSE
        while self._process is not None:
            code = self._process.wait()
            if not self._ending.is_set() and not self._is_kept and code == 0:
                self._on_finished()
                return
            if self._ending.is_set():
                return
            if self._ending.wait(pause):
                return
            pause = min(pause * 2, LONGEST_PAUSE)
            self._spawn()


class Supervisor:
    """Starts children in order and ends them in the opposite order."""

    def __init__(self, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self._logs = logs
        self._children: list[Child] = []
        self._is_ending = False

    def start(
        self, name: str, *arguments: str, is_kept: bool = True, on_finished: Callable[[], None] = lambda: None
    ) -> None:
        """Start a module; one that is not kept may end well, and then ``on_finished`` is called."""
        if self._is_ending:
            return
        child = Child(name, arguments, self._logs, is_kept, on_finished)
        self._children.append(child)
        child.start()

    def stop(self) -> None:
        self._is_ending = True
        for child in reversed(self._children):
            child.stop()
        self._children.clear()
