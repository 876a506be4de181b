"""The web side over views in memory, on a real threaded server, and a Socket.IO client to talk to it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from flask.testing import FlaskClient
from simple_websocket import Client, ConnectionClosed
from werkzeug.serving import WSGIRequestHandler, make_server

from app.config import WebConfig
from app.create_app import Web, create_app
from app.roles import Role
from engine.model.clock import SystemClock
from tests.environment.waiting import free_port
from tests.memory_engine import MemoryEngine

BUILDING = Path(__file__).resolve().parents[1] / "ingest" / "building"
ORIGIN = {"Origin": "http://127.0.0.1:8000"}


def web_over(engine: MemoryEngine, state: Path, **settings: Any) -> Web:
    return create_app(engine, WebConfig(state=state, building=settings.pop("building", BUILDING), **settings))


class AtOurAddress(FlaskClient):
    def open(self, *args: Any, **settings: Any) -> Any:
        return super().open(*args, **{"base_url": "http://127.0.0.1:8000", **settings})


def client_of(web: Web, role: Role | None = None) -> FlaskClient:
    """A browser's HTTP side, signed in by a link where a role is given."""
    client = AtOurAddress(web.app)
    if role is not None:
        assert client.get(web.auth.issue_link(role)).status_code == 303
    return client


class QuietHandler(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None: ...


class Site:
    """A running server; ``tick`` closes a tick of the feed now."""

    def __init__(self, engine: MemoryEngine, web: Web, port: int) -> None:
        self.engine, self.web, self.port = engine, web, port
        self.url = f"http://127.0.0.1:{port}"
        self.clock = SystemClock()

    def tick(self, **changes: Any) -> None:
        self.engine.close_tick(self.clock.now(), **changes)

    def cookie(self, role: Role = Role.ADMIN, name: str = "") -> str:
        client = self.web.app.test_client()
        answer = client.get(self.web.auth.issue_link(role, name), headers={"Host": f"127.0.0.1:{self.port}"})
        return answer.headers["Set-Cookie"].partition(";")[0]

    def socket(self, role: Role = Role.ADMIN) -> "Socket":
        return Socket(self, self.cookie(role))


@contextmanager
def running_site(state: Path, port: int | None = None, **settings: Any) -> Iterator[Site]:
    engine = settings.pop("engine", None) or MemoryEngine()
    port = port or free_port()
    web = web_over(engine, state, port=port, **settings)
    server = make_server("127.0.0.1", port, web.app, threaded=True, request_handler=QuietHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    web.start()
    yield Site(engine, web, port)
    web.stop()
    server.shutdown()
    server.server_close()


class Socket:
    """A Socket.IO client over a WebSocket, as thin as the protocol: 0 open, 2/3 ping, 4x messages."""

    def __init__(
        self, site: Site, cookie: str, origin: str = "http://127.0.0.1", headers: dict[str, str] | None = None
    ) -> None:
        """The client library names the host without its port, so the origin has none either."""
        url = f"ws://127.0.0.1:{site.port}/socket.io/?EIO=4&transport=websocket"
        self.ws = Client(url, headers={"Cookie": cookie, "Origin": origin, **(headers or {})})
        self.events: Queue[tuple[str, Any]] = Queue()
        self.acks: Queue[Any] = Queue()
        self.connected, self.closed = threading.Event(), threading.Event()
        self.refusal = ""
        threading.Thread(target=self._listen, daemon=True).start()
        self.ws.send("40")

    def emit(self, event: str, message: Any) -> Any:
        """Send an event and return what the handler answers."""
        self.ws.send("421" + json.dumps([event, message]))
        return self.acks.get(timeout=240)

    def next(self, *names: str, within: float = 60) -> tuple[str, Any]:
        """Return the next event of one of these names."""
        while True:
            name, message = self.events.get(timeout=within)
            if name in names:
                return name, message

    def is_quiet(self, name: str, during: float) -> bool:
        try:
            self.next(name, within=during)
        except Empty:
            return True
        return False

    def close(self) -> None:
        self.ws.close()

    def _listen(self) -> None:
        try:
            while True:
                self._take(self.ws.receive())
        except (ConnectionClosed, OSError):
            self.closed.set()

    def _take(self, frame: str) -> None:
        if frame == "2":
            self.ws.send("3")
        elif frame.startswith("40"):
            self.connected.set()
        elif frame.startswith("44"):
            self.refusal = frame[2:]
            self.closed.set()
        elif frame.startswith("42"):
            self.events.put(tuple(json.loads(frame[2:])))
        elif frame.startswith("431"):
            answer = json.loads(frame[3:])
            self.acks.put(answer[0] if answer else None)
        elif frame.startswith("41") or frame == "1":
            self.closed.set()
