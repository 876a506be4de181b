"""The command line's side of the HTTP API, signed in by the token of the state folder."""

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

from app.running import running
from app.settings import Settings
from app.tls import trusting


class Unreachable(Exception):
    """Nobody answers."""


class Refused(Exception):
    """The server's answer is an error; ``is_the_askers`` tells who must act, ``body`` what else it says."""

    def __init__(self, body: Any, is_the_askers: bool) -> None:
        self.body = body if isinstance(body, dict) else {"error": body}
        super().__init__(str(self.body.get("error") or self.body.get("reason") or self.body))
        self.is_the_askers = is_the_askers


class Client:
    """Talks to the server of a state folder, never through a proxy."""

    def __init__(self, settings: Settings) -> None:
        found = running(settings)
        self.url = found.url if found else settings.url
        self._token_file = settings.state / "token"
        context = trusting(settings.certificate) if settings.certificate else None
        self._opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))

    def get(self, path: str) -> Any:
        return json.loads(self._open(Request(self.url + path, headers=self._headers())).read())

    def text(self, path: str) -> str:
        body: bytes = self._open(Request(self.url + path, headers=self._headers())).read()
        return body.decode()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return json.loads(self._open(self._posting(path, body)).read())

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the answer to a request of another method."""
        request = self._posting(path, body or {})
        request.method = method
        return json.loads(self._open(request).read())

    def stream(self, path: str, body: dict[str, Any]) -> Iterator[str]:
        """Yield the lines of an answer as they come."""
        try:
            for line in self._open(self._posting(path, body)):
                if line.strip():
                    yield line.decode()
        except (OSError, http.client.HTTPException) as error:
            message = f"the connection to {self.url} broke: {error}"
            raise Unreachable(message) from None
        message = f"the server at {self.url} ended the answer"
        raise Unreachable(message)

    def _posting(self, path: str, body: dict[str, Any]) -> Request:
        headers = {**self._headers(), "Content-Type": "application/json"}
        return Request(self.url + path, data=json.dumps(body).encode(), headers=headers)

    def _headers(self) -> dict[str, str]:
        try:
            return {"Authorization": f"Bearer {self._token_file.read_text('utf-8').strip()}"}
        except OSError:
            message = f"SmartCIS does not run here: {self._token_file} is missing; start it with `make run`"
            raise Unreachable(message) from None

    def _open(self, request: Request) -> Any:
        try:
            return self._opener.open(request)
        except HTTPError as error:
            raise Refused(_body(error), is_the_askers=error.code == http.client.BAD_REQUEST) from None
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            message = f"SmartCIS does not answer at {self.url}: {reason}; start it with `make run`"
            raise Unreachable(message) from None


def _body(error: HTTPError) -> Any:
    body = error.read()
    try:
        return json.loads(body)
    except ValueError:
        return f"the server answered {error.code}"
