"""Fetching: conditional, bounded in time, bytes and redirects, and patient with who fails."""

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from engine.model.errors import SourceError
from ingest.sources.addresses import address_of
from ingest.wrappers.fetching import Address, FetchError, Validators, fetch, with_credentials
from ingest.wrappers.patience import LONGEST, Patience
from tests.environment.certificates import Authority
from tests.environment.web_server import Answer, Asked, WebServer, web_server


@pytest.fixture
def web() -> Iterator[WebServer]:
    with web_server() as served:
        yield served


def failure(address: Address) -> FetchError:
    with pytest.raises(FetchError) as caught:
        fetch(address)
    assert "\n" not in caught.value.message
    return caught.value


def test_what_did_not_change_is_not_sent_again(web: WebServer) -> None:
    def answer(asked: Asked) -> Answer:
        if asked.headers.get("if-none-match") == '"v1"':
            return Answer(304, headers=(("ETag", '"v1"'),))
        return Answer(200, b"one", (("ETag", '"v1"'), ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")))

    web.answer = answer
    first = fetch(Address(f"{web.url}/a b?x=ü"))
    assert first == (b"one", "", Validators('"v1"', "Mon, 01 Jan 2024 00:00:00 GMT"))
    assert fetch(Address(web.url), first.validators).body is None
    assert web.asked[0].path == "/a%20b?x=%C3%BC"
    assert web.asked[1].headers["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"


def test_a_packed_answer_is_unpacked_and_may_not_grow_beyond_its_bound(web: WebServer) -> None:
    web.says(body=gzip.compress(b"x" * 50_000), content_encoding="gzip")
    assert fetch(Address(web.url, max_bytes=50_000)).body == b"x" * 50_000
    assert web.asked[0].headers["accept-encoding"] == "gzip"
    assert "more than 49999 bytes" in failure(Address(web.url, max_bytes=49_999)).message
    web.says(body=gzip.compress(bytes(200_000_000), 1), content_encoding="gzip")
    assert "more than 1000 bytes" in failure(Address(web.url, max_bytes=1_000)).message
    web.says(body=gzip.compress(b"x" * 50_000)[:-9], content_encoding="gzip")
    assert "stopped before the end" in failure(Address(web.url)).message
    web.says(body=b"no gzip", content_encoding="gzip")
    assert "cannot read http://127.0.0.1" in failure(Address(web.url)).message
    web.says(body=b"", content_encoding="br")
    assert "in the coding br; expected gzip or none" in failure(Address(web.url)).message


def test_an_answer_that_ends_early_is_no_answer(web: WebServer) -> None:
    web.answer = lambda _: Answer(200, b"half", (("Content-Length", "8"),))
    assert "stopped before the end" in failure(Address(web.url)).message


def test_a_server_that_drips_is_left_at_the_deadline(web: WebServer) -> None:
    left = threading.Event()

    def drip(write: Callable[[bytes], None]) -> None:
        with suppress(OSError):
            while not left.wait(0.02):
                write(b".")

    web.answer = lambda _: Answer(200, b"", (("Content-Length", "100000"),), drip)
    assert "no whole answer within 0.3 s" in failure(Address(web.url, timeout=0.3)).message
    left.set()


def test_a_server_that_is_silent_or_not_there_is_said(web: WebServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        address = Address(f"http://127.0.0.1:{port}/secret", timeout=0.2)
        assert (
            failure(address).message == f"cannot read http://127.0.0.1:{port}: no whole answer within 0.2 s"
        )
    assert failure(address).message.endswith("Connection refused")
    assert "names no port" in failure(Address("http://127.0.0.1:x/")).message


def test_redirects_are_followed_within_bounds_and_credentials_stay_where_they_belong(web: WebServer) -> None:
    with web_server() as other:
        other.says(body=b"there")
        web.answer = lambda asked: Answer(
            302, headers=(("Location", "/b" if asked.path == "/a" else f"{other.url}/c"),)
        )
        assert fetch(Address(f"{web.url}/a", {"Authorization": "Bearer t"})).body == b"there"
        assert [asked.headers.get("authorization") for asked in web.asked] == ["Bearer t"] * 2
        assert "authorization" not in other.asked[0].headers
    web.says(301, location="/again")
    assert "redirects more than 5 times" in failure(Address(web.url)).message
    assert len(web.asked) == 2 + 6
    for there in ("file:///etc/passwd", "ftp://x/y"):
        web.says(301, location=there)
        assert "expected https there too" in failure(Address(web.url)).message


@pytest.mark.parametrize(
    ("status", "headers", "told", "after"),
    [
        (401, {}, "answers 401 Unauthorized; expected credentials: user and password, or headers", None),
        (404, {}, "answers 404 Not Found; expected an address at which there is something", None),
        (304, {}, None, None),
        (204, {}, "answers 204 No Content", None),
        (503, {"retry_after": "120"}, "answers 503 Service Unavailable", 120.0),
        (429, {"retry_after": "Mon, 01 Jan 2024 00:02:00 GMT"}, "answers 429", 0.0),
        (503, {"retry_after": "soon"}, "answers 503", None),
    ],
)
def test_what_a_server_answers_instead_is_said(
    web: WebServer, status: int, headers: dict[str, str], told: str | None, after: float | None
) -> None:
    web.says(status, **headers)
    if told is None:
        assert fetch(Address(web.url)).body is None
        return
    error = failure(Address(f"{web.url}/private-token"))
    assert told in error.message
    assert "private-token" not in error.message
    assert error.retry_after == after


def test_credentials_are_taken_out_of_a_url() -> None:
    bare, headers = with_credentials("webcal://ada:p%40ss@host:8443/x.ics#top", None, None)
    assert (bare, headers) == ("https://host:8443/x.ics", {"Authorization": "Basic YWRhOnBAc3M="})
    assert with_credentials("http://host/x", "ada", "p@ss")[1] == headers
    assert with_credentials("http://host/x", None, None) == ("http://host/x", {})


def test_who_fails_is_left_alone_for_longer_and_longer_but_not_for_ever() -> None:
    patience = Patience(5.0, Random(1).random)
    pauses = []
    for _ in range(12):
        patience.failed()
        pauses.append(patience.pause)
    for n, pause in enumerate(pauses, 1):
        most = min(LONGEST, 5.0 * 2**n)
        assert most / 2 <= pause <= most
    assert len(set(pauses[-4:])) == 4
    patience.failed(asked=3_600.0)
    assert patience.pause == 3_600.0
    patience.worked()
    assert patience.pause == 5.0
    seldom = Patience(7_200.0)
    seldom.failed()
    assert seldom.pause >= 3_600.0


def test_a_section_says_where_to_ask() -> None:
    found = {"url": "webcal://ada@host/x", "password": "p", "headers": {"X-Token": "t"}, "timeout_seconds": 3}
    address = address_of(found, "calendar c")
    assert (address.url, address.timeout) == ("https://host/x", 3.0)
    assert address.headers == {"X-Token": "t", "Authorization": "Basic YWRhOnA="}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({}, "url of calendar c is empty; expected text"),
        ({"url": "ftp://x/y"}, "url of calendar c is ftp://x/y; expected http://host/path or https"),
        ({"url": "x.ics"}, "url of calendar c is x.ics; expected http"),
        ({"url": "http://h", "headers": {"A": 1}}, "header 'A' of calendar c is int 1; expected one line"),
        ({"url": "http://h", "headers": {"A": "b\r\nC: d"}}, "header 'A' of calendar c is str"),
        (
            {"url": "http://h", "timeout_seconds": 0},
            "timeout_seconds of calendar c is int 0; expected seconds",
        ),
    ],
)
def test_a_wrong_address_is_one_line(found: dict[str, object], expected: str) -> None:
    with pytest.raises(SourceError) as caught:
        address_of(found, "calendar c")
    assert expected in caught.value.message


def test_certificates_that_cannot_be_read_are_said() -> None:
    assert "cannot read the certificates /no/where" in failure(Address("https://h", ca="/no/where")).message


def test_who_shows_a_certificate_that_nobody_vouches_for_is_told_nothing(tmp_path: Path) -> None:
    ours, theirs = Authority(tmp_path), Authority(tmp_path, "theirs")
    with web_server(*ours.give("server")) as secured:
        secured.says(body=b"secret")
        token = {"Authorization": "Bearer t"}
        assert fetch(Address(secured.url, token, ca=str(ours.certificate))).body == b"secret"
        for ca in (str(theirs.certificate), None):
            assert "certificate verify failed" in failure(Address(secured.url, token, ca=ca)).message
        assert len(secured.asked) == 1


def test_from_https_nobody_is_sent_to_http(tmp_path: Path, web: WebServer) -> None:
    ours = Authority(tmp_path)
    with web_server(*ours.give("server")) as secured:
        secured.says(302, location=web.url)
        message = failure(Address(secured.url, ca=str(ours.certificate))).message
        assert message == f"{secured.url} redirects to {web.url}; expected https there too"
    assert not web.asked
