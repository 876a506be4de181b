"""The whole product, started as a user starts it, in a folder and on ports of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import psutil

from tests.environment.waiting import free_port, until

ROOT = Path(__file__).resolve().parents[2]
OPENER = build_opener(ProxyHandler({}))


class Demo:
    """A running `smartcis run`."""

    def __init__(self, state: Path, process: "subprocess.Popen[bytes]", url: str, mqtt_url: str) -> None:
        self.state = state
        self.process = process
        self.url = url
        self.mqtt_url = mqtt_url

    def get(self, path: str, body: dict[str, str] | None = None) -> Any:
        return json.load(self.open(path, body))

    def open(self, path: str, body: dict[str, str] | None = None) -> IO[bytes]:
        """Ask as the command line does, with the token of the state folder."""
        headers = {"Authorization": f"Bearer {(self.state / 'token').read_text().strip()}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        answer: IO[bytes] = OPENER.open(Request(self.url + path, data=data, headers=headers), timeout=120)
        return answer

    def rows(self, view: str) -> list[list[Any]]:
        """Return what a view holds now; a query that was left gives its place back within a second."""
        for _ in range(200):
            try:
                return self._rows(view)
            except HTTPError as error:
                if error.code != HTTPStatus.SERVICE_UNAVAILABLE:
                    raise
                threading.Event().wait(0.25)
        message = f"no place to ask for {view}"
        raise TimeoutError(message)

    def _rows(self, view: str) -> list[list[Any]]:
        with self.open("/api/query", {"sql": f"SELECT * FROM {view}"}) as answer:
            first = json.loads(next(line for line in answer if line.strip()))
        return list(first["rows"])

    def link(self) -> str:
        """Return a one-time sign-in address."""
        return self.url + str(self.get("/api/links", {"role": "admin"})["link"])

    def is_alive(self) -> bool:
        if self.process.poll() is not None:
            message = f"smartcis run ended: {(self.state / 'run.log').read_text()[-2000:]}"
            raise AssertionError(message)
        try:
            return bool(self.get("/healthz")["status"] == "ok")
        except (OSError, ValueError):
            return False

    def processes(self) -> list[psutil.Process]:
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def demo(state: Path, wait_seconds: float = 120, **settings: str) -> Iterator[Demo]:
    """Start everything, wait until ticks flow, and end it."""
    port, mqtt_port = free_port(), free_port()
    environment = {
        **os.environ,
        "SMARTCIS_STATE": str(state),
        "SMARTCIS_PORT": str(port),
        "SMARTCIS_MQTT_PORT": str(mqtt_port),
        **settings,
    }
    state.mkdir(parents=True, exist_ok=True)
    with (state / "run.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "run"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    mqtt_url = settings.get("SMARTCIS_MQTT_URL", f"mqtt://127.0.0.1:{mqtt_port}")
    running = Demo(state, process, f"http://127.0.0.1:{port}", mqtt_url)
    try:
        until(running.is_alive, wait_seconds, "ticks to flow")
        yield running
    finally:
        running.stop()


def cpu_seconds(processes: list[psutil.Process]) -> dict[int, float]:
    """Return the processor time that each process has used so far."""
    used = {}
    for process in processes:
        try:
            times = process.cpu_times()
            used[process.pid] = times.user + times.system
        except psutil.Error:
            continue
    return used


def memory_bytes(processes: list[psutil.Process]) -> int:
    """Return what the processes hold together; what they share is counted once (PSS)."""
    total = 0
    for process in processes:
        try:
            total += process.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total


def name_of(process: psutil.Process) -> str:
    """Name a process by its part in the whole."""
    try:
        words = process.cmdline()
    except psutil.Error:
        return "gone"
    if any("SparkSubmit" in word for word in words):
        return "Spark's JVM"
    if "-m" in words:
        module = words[words.index("-m") + 1]
        part = words[words.index("--part") + 1] if "--part" in words else ""
        return f"{module} {part}".strip()
    return " ".join(words[:2])[-40:]


def wall() -> float:
    return time.time()
