"""The small web server in a device: pages by their path, with an entity tag, for whoever asks.

A page is put in place as a whole, from any thread; a poll that knows it already is answered 304.
"""

import hashlib
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

LOOPBACK = "127.0.0.1"


class WebPages:
    """Serves what it is given to show."""

    def __init__(self, port: int) -> None:
        self._pages: dict[str, tuple[str, bytes]] = {}
        shown = type("Shown", (Handler,), {"pages": self._pages})
        self._server = ThreadingHTTPServer((LOOPBACK, port), shown)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = Thread(target=self._server.serve_forever, name="web pages", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def show(self, path: str, page: str) -> None:
        """Put a page in place."""
        body = page.encode()
        self._pages[path] = (f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"', body)

    def close(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    pages: ClassVar[dict[str, tuple[str, bytes]]]
    timeout = 10

    def do_GET(self) -> None:
        """Answer with the page, or that there is nothing new, or no such page."""
        found = self.pages.get(self.path)
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        tag, body = found
        is_known = self.headers.get("If-None-Match") == tag
        self.send_response(HTTPStatus.NOT_MODIFIED if is_known else HTTPStatus.OK)
        self.send_header("ETag", tag)
        if not is_known:
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not is_known:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of what was asked."""
