"""The production server, as a process: sockets beside pages, and every way to end it."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from app.ports import port_holder, port_is_taken
from app.server import UNSENT_BYTES, check_port, keep_little_unsent
from engine.model.errors import SourceError
from tests.environment.waiting import free_port, until
from tests.web_parts import Socket

pytestmark = pytest.mark.integration
ROOT = Path(__file__).resolve().parents[1]
SERVED = [sys.executable, "-m", "tests.served"]
SOCKETS = 100


class Server:
    def __init__(self, state: Path) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [*SERVED, str(self.port), str(state)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert self.process.stdout
        self.link = self.process.stdout.readline().strip()
        self.worker = psutil.Process(self.process.pid).children()[0]

    def get(self, path: str, cookie: str = "") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)
        connection.request("GET", path, headers={"Cookie": cookie})
        return connection.getresponse()

    def cookie(self) -> str:
        return str(self.get(self.link).headers["Set-Cookie"]).partition(";")[0]

    def end(self, how: signal.Signals, within: float) -> None:
        os.kill(self.process.pid, how)
        self.process.wait(within)
        until(lambda: not self.worker.is_running(), within, "the worker to end")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    if server.process.poll() is None:
        server.end(signal.SIGTERM, 10)


def test_a_hundred_sockets_do_not_starve_a_page(server: Server) -> None:
    cookie = server.cookie()
    sockets = [Socket(server, cookie) for _ in range(SOCKETS)]
    assert all(socket.connected.wait(120) for socket in sockets)
    for one in sockets:
        one.emit("watch", {"view": "people"})
    assert all(one.next("snapshot", within=100) for one in sockets)
    assert [server.get("/login").status for _ in range(5)] == [200] * 5
    assert all(one.next("pulse", within=100) for one in sockets)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_it_ends_at_once_with_sockets_open(server: Server, how: signal.Signals) -> None:
    cookie = server.cookie()
    sockets = [Socket(server, cookie) for _ in range(3)]
    assert all(socket.connected.wait(120) for socket in sockets)
    server.end(how, within=60)
    assert not port_is_taken("127.0.0.1", server.port)


def test_what_the_server_ran_is_stopped_before_it_ends(server: Server) -> None:
    server.end(signal.SIGTERM, within=60)
    assert server.process.stdout
    assert server.process.stdout.read().strip() == "stopped"


def test_a_worker_that_dies_is_replaced(server: Server) -> None:
    server.worker.kill()
    assert server.process.stdout
    assert re.match("/enter", server.process.stdout.readline())
    until(lambda: server.get("/login").status == 200, 5, "the next worker")
    server.worker = psutil.Process(server.process.pid).children()[0]


@pytest.mark.skipif(not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="this system has no such bound")
def test_what_is_accepted_keeps_little_unsent_in_the_kernel() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        keep_little_unsent(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listening)]))
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT) == UNSENT_BYTES


def test_a_factory_that_cannot_build_says_why_in_one_line(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    command = [*SERVED, str(free_port()), str(tmp_path), str(missing)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, cwd=ROOT)
    assert done.returncode == 3
    assert f"{missing}/building.json is missing" in done.stderr
    assert "Traceback" not in done.stderr


SLOW = """
import sys, threading
from app.server import serve
serve(lambda: (print("building", flush=True), threading.Event().wait(240)), "127.0.0.1", int(sys.argv[1]))
"""


def test_what_is_still_starting_ends_at_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, str(free_port())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "building\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=240)
    assert process.returncode == 0
    assert told == ""


def test_a_taken_port_is_named_with_its_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        assert port_holder(port) == f"pid {os.getpid()} ({psutil.Process().name()})"
        with pytest.raises(SourceError, match=f"port {port} on 127.0.0.1 is taken by pid {os.getpid()}"):
            check_port("127.0.0.1", port)


def test_a_free_port_is_not_taken() -> None:
    port = free_port()
    assert port_holder(port) is None
    check_port("127.0.0.1", port)
