"""One HTTP GET: conditional, bounded in time, in bytes and in redirects.

    fetch(address, validators) → Fetched(body, …)       200
                               → Fetched(None, …)       304: what was fetched before still holds
                               → FetchError             anything else, in one line; when to come again

A deadline closes the socket, so a server that drips bytes cannot hold its asker up. A body is unpacked
piece by piece, so a small answer cannot become a large one. Credentials go to the origin that they were
given for and to no other; a message names the origin alone, as paths of calendars are often secret.
Left out on purpose: proxies, cookies, HTTP/2.

References:
    RFC 9110 (HTTP semantics): 10.2.3 Retry-After, 13.1 preconditions, 15.4 redirection.
"""

import base64
import http.client
import ssl
import threading
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from engine.model.errors import SourceError

MAX_REDIRECTS = 5
PIECE = 65_536
SAFE = "/%:@!$&'()*+,;=~-._?"
REDIRECTS = (301, 302, 303, 307, 308)
MEANINGS = {
    401: "; expected credentials: user and password, or headers",
    403: "; expected credentials that may read it",
    404: "; expected an address at which there is something",
    410: "; expected an address at which there is something",
}


class FetchError(SourceError):
    """Nothing was fetched; ``retry_after`` is how many seconds the server asks to be left alone."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Address:
    """What to ask for, and how; ``ca`` is a file of certificates to trust instead of the system's."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 10.0
    max_bytes: int = 20_000_000
    ca: str | None = None

    @property
    def origin(self) -> str:
        """What of it may be shown."""
        return _origin(urlsplit(self.url))


class Validators(NamedTuple):
    """What a server calls the state that was fetched: its ETag and Last-Modified."""

    etag: str = ""
    modified: str = ""


NOTHING_KNOWN = Validators()


class Fetched(NamedTuple):
    """An answer; no body where nothing changed."""

    body: bytes | None
    content_type: str
    validators: Validators


def fetch(address: Address, known: Validators = NOTHING_KNOWN) -> Fetched:
    """Return what is there, or say that it did not change since ``known``."""
    url, credentials, conditions = address.url, address.headers, _conditions(known)
    for _ in range(MAX_REDIRECTS + 1):
        found = _exchange(address, url, {**credentials, **conditions})
        if isinstance(found, Fetched):
            return found
        there = _next(url, found)
        url, credentials = there, credentials if _same_origin(url, there) else {}
    msg = f"{address.origin} redirects more than {MAX_REDIRECTS} times; expected an answer"
    raise FetchError(msg)


def with_credentials(url: str, user: str | None, password: str | None) -> tuple[str, dict[str, str]]:
    """Return a URL without the name and password that it holds, and the header that says them."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    user = unquote(parts.username) if user is None and parts.username is not None else user
    password = unquote(parts.password or "") if password is None else password
    scheme = "https" if parts.scheme in ("webcal", "webcals") else parts.scheme
    bare = parts._replace(scheme=scheme, netloc=host, fragment="").geturl()
    if user is None:
        return bare, {}
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return bare, {"Authorization": f"Basic {token}"}


def _exchange(address: Address, url: str, headers: Mapping[str, str]) -> Fetched | str:
    """Return the answer, or where it says to ask instead."""
    parts = urlsplit(url)
    connection = _connection(address, parts)
    over = threading.Event()
    deadline = threading.Timer(address.timeout, _cut, (connection, over))
    deadline.daemon = True
    try:
        connection.connect()
        deadline.start()
        path = quote(parts.path or "/", SAFE) + (f"?{quote(parts.query, SAFE)}" if parts.query else "")
        connection.request(
            "GET", path, headers={"Accept-Encoding": "gzip", "User-Agent": "SmartCIS", **headers}
        )
        answer = _answer(address, connection.getresponse(), _origin(parts))
        if over.is_set():
            raise TimeoutError
        return answer
    except (OSError, http.client.HTTPException, ValueError, EOFError, zlib.error) as error:
        late = over.is_set() or isinstance(error, TimeoutError)
        reason = f"no whole answer within {address.timeout:g} s" if late else _reason(error)
        msg = f"cannot read {_origin(parts)}: {reason}"
        raise FetchError(msg) from error
    finally:
        deadline.cancel()
        connection.close()


def _connection(address: Address, parts: SplitResult) -> http.client.HTTPConnection:
    try:
        host, port = parts.hostname or "", parts.port
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=address.timeout)
        context = ssl.create_default_context(cafile=address.ca)
    except ValueError as error:
        msg = f"{_origin(parts)} names no port; expected http://host:port/path"
        raise FetchError(msg) from error
    except OSError as error:
        msg = f"cannot read the certificates {address.ca}: {_reason(error)}; expected a PEM file"
        raise FetchError(msg) from error
    return http.client.HTTPSConnection(host, port, timeout=address.timeout, context=context)


def _cut(connection: http.client.HTTPConnection, over: threading.Event) -> None:
    over.set()
    with suppress(OSError):
        if connection.sock is not None:
            connection.sock.shutdown(2)


def _answer(address: Address, response: http.client.HTTPResponse, origin: str) -> Fetched | str:
    status = response.status
    if status in REDIRECTS and response.headers.get("Location"):
        return str(response.headers["Location"])
    said = Validators(response.headers.get("ETag", ""), response.headers.get("Last-Modified", ""))
    kind = response.headers.get("Content-Type", "")
    if status == http.HTTPStatus.NOT_MODIFIED:
        return Fetched(None, kind, said)
    if status != http.HTTPStatus.OK:
        msg = f"{origin} answers {status} {response.reason}{MEANINGS.get(status, '')}"
        raise FetchError(msg, _retry_after(response.headers))
    return Fetched(_body(address, response), kind, said)


def _body(address: Address, response: http.client.HTTPResponse) -> bytes:
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("gzip", "x-gzip", "identity", ""):
        msg = f"{address.origin} answers in the coding {coding[:40]}; expected gzip or none"
        raise FetchError(msg)
    unpack = zlib.decompressobj(31) if "gzip" in coding else None
    found = bytearray()
    while piece := response.read(PIECE):
        found += piece if unpack is None else unpack.decompress(piece, address.max_bytes + 1 - len(found))
        if len(found) > address.max_bytes:
            msg = f"{address.origin} answers with more than {address.max_bytes} bytes; expected fewer"
            raise FetchError(msg)
    if response.length or (unpack is not None and not unpack.eof):
        msg = "it stopped before the end of its answer"
        raise EOFError(msg)
    return bytes(found)


def _conditions(known: Validators) -> dict[str, str]:
    said = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
    return {name: value for name, value in said.items() if value}


def _next(url: str, location: str) -> str:
    there = urljoin(url, location)
    scheme = urlsplit(there).scheme
    if scheme not in ("http", "https") or (scheme == "http" and urlsplit(url).scheme == "https"):
        msg = f"{_origin(urlsplit(url))} redirects to {_origin(urlsplit(there))}; expected https there too"
        raise FetchError(msg)
    return there


def _same_origin(one: str, other: str) -> bool:
    return _origin(urlsplit(one)) == _origin(urlsplit(other))


def _origin(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"[:200]


def _retry_after(headers: http.client.HTTPMessage) -> float | None:
    """Return the seconds that a server asks for; a date counts from the server's own."""
    asked = headers.get("Retry-After", "").strip()
    if asked.isascii() and asked.isdecimal():
        return float(asked[:9])
    try:
        until, now = parsedate_to_datetime(asked), parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _reason(error: Exception) -> str:
    found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(f"{found or type(error).__name__}".split())[:200]
