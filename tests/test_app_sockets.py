"""Socket.IO over a real server: who gets in, what is watched, what a session's end does."""

import http.client
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from simple_websocket import ConnectionError as HandshakeError

from app.roles import Role
from tests.environment.waiting import until
from tests.web_parts import Site, Socket, running_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("state"), max_sockets=30) as site:
        yield site


@pytest.fixture
def socket(site: Site) -> Iterator[Socket]:
    socket = site.socket()
    assert socket.connected.wait(120)
    yield socket
    socket.close()


def seat(desk: str) -> tuple[str, str]:
    return (desk, "1.01")


def test_a_stranger_does_not_get_through_the_handshake(site: Site) -> None:
    with pytest.raises(HandshakeError):
        Socket(site, cookie="")


def test_another_site_does_not_get_through_the_handshake(site: Site) -> None:
    with pytest.raises(HandshakeError):
        Socket(site, site.cookie(), "http://evil.example")


def test_a_watcher_gets_a_snapshot_and_then_numbered_deltas(site: Site, socket: Socket) -> None:
    site.tick(taken_desks=[(seat("a"), 1)])
    assert socket.emit("watch", {"view": "taken_desks"}) is None
    _, snapshot = socket.next("snapshot")
    assert ["a", "1.01"] in snapshot["rows"]
    assert snapshot["columns"] == [{"name": "desk", "type": "text"}, {"name": "room", "type": "text"}]
    site.tick(taken_desks=[(seat("a"), -1), (seat("b"), 1)])
    _, delta = socket.next("delta")
    assert delta["after"] == snapshot["tick"]
    assert sorted(delta["changes"]) == [[-1, ["a", "1.01"]], [1, ["b", "1.01"]]]
    assert delta["run"] == snapshot["run"] == "run-1"


def test_a_snapshot_says_which_sites_its_rows_are_without(site: Site, socket: Socket) -> None:
    site.engine.without = {"taken_desks": ("floor-2",)}
    try:
        socket.emit("watch", {"view": "taken_desks"})
        assert socket.next("snapshot")[1]["missing"] == ["floor-2"]
    finally:
        site.engine.without = {}


def test_many_watchers_of_a_moving_view_all_hold_it(site: Site) -> None:
    sockets = []
    for n in range(20):
        site.tick(busy_machines=[((f"m{n}", 0.5, "x"), 1)])
        sockets.append(site.socket(Role.KIOSK))
        sockets[-1].emit("watch", {"view": "busy_machines"})
    last = site.engine.tick
    wanted = {f"m{n}" for n in range(20)}
    for socket in sockets:
        assert set(held(socket, "busy_machines", last)) == wanted
        socket.close()


def held(socket: Socket, view: str, tick: int) -> Counter[str]:
    """Follow the view as a browser does, until the tick."""
    _, message = socket.next("snapshot")
    rows = Counter(row[0] for row in message["rows"])
    while message["tick"] < tick:
        before = message["tick"]
        _, message = socket.next("delta")
        assert (message["view"], message["after"]) == (view, before)
        for count, row in message["changes"]:
            rows[row[0]] += count
    return +rows


def test_who_no_longer_watches_hears_no_more(site: Site, socket: Socket) -> None:
    socket.emit("watch", {"view": "dark_rooms"})
    socket.next("snapshot")
    socket.emit("unwatch", {"view": "dark_rooms"})
    until(lambda: not [s for s in site.engine.subscriptions if s.snapshot.view == "dark_rooms"], 5, "the end")
    site.tick(dark_rooms=[(("1.01", 2.0), 1)])
    assert socket.is_quiet("delta", during=0.3)


def test_a_pulse_comes_to_everyone_signed_in(socket: Socket) -> None:
    _, pulse = socket.next("pulse")
    assert set(pulse) == {"run", "tick", "at", "now", "missing"}


@pytest.mark.parametrize("message", [None, "people", {"view": 7}, {"view": ""}, {"view": "x" * 300}, {}])
def test_a_malformed_wish_is_answered_with_what_is_expected(socket: Socket, message: object) -> None:
    assert "expects" in socket.emit("watch", message)["error"]


def test_an_unknown_view_is_refused(socket: Socket) -> None:
    socket.emit("watch", {"view": "nothing"})
    _, refusal = socket.next("refused")
    assert refusal["error"].startswith("unknown view nothing")


def test_a_kiosk_may_not_watch_what_operators_do(site: Site) -> None:
    socket = site.socket(Role.KIOSK)
    assert "needs the role operator" in socket.emit("watch", {"view": "rejected"})["error"]
    socket.close()


def test_signing_out_ends_the_sockets_of_the_session(site: Site) -> None:
    cookie = site.cookie()
    socket = Socket(site, cookie)
    assert socket.connected.wait(120)
    connection = http.client.HTTPConnection("127.0.0.1", site.port)
    connection.request("POST", "/logout", headers={"Cookie": cookie, "Origin": site.url})
    assert connection.getresponse().status == 303
    assert socket.closed.wait(120)


def test_one_socket_too_many_is_turned_away(tmp_path: Path) -> None:
    with running_site(tmp_path, max_sockets=2) as site:
        sockets = [site.socket() for _ in range(2)]
        assert all(socket.connected.wait(120) for socket in sockets)
        with pytest.raises(HandshakeError):
            site.socket()
