"""A real HTTP server on this machine; a test says what it answers and sees what it was asked."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple


class Asked(NamedTuple):
    path: str
    headers: dict[str, str]


class Answer(NamedTuple):
    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    drip: Callable[[Callable[[bytes], None]], None] | None = None
    """Writes the body in its own time, and perhaps not all of it."""


@dataclass
class WebServer:
    """``answer`` may be put in place of another while the server runs."""

    answer: Callable[[Asked], Answer] = lambda asked: Answer(404)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    scheme: str = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def says(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        """Answer everything alike; ``retry_after`` stands for Retry-After."""
        named = tuple((name.replace("_", "-").title(), value) for name, value in headers.items())
        self.answer = lambda _: Answer(status, body, named)


@contextmanager
def web_server(certificate: Path | None = None, key: Path | None = None) -> Iterator[WebServer]:
    served = WebServer(scheme="https" if certificate else "http")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()})
            served.asked.append(asked)
            answer = served.answer(asked)
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            if not any(name == "Content-Length" for name, _ in answer.headers):
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)
            if answer.drip is not None:
                answer.drip(self.wfile.write)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        served.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield served
        server.shutdown()
        thread.join()
