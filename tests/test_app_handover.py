"""A way handed to a phone: signed, short-lived, for that way alone; no code where no phone could come."""

from collections.abc import Sequence
from pathlib import Path
from queue import Empty

import pytest

from app.config import WebConfig
from app.create_app import Web
from app.handover import GOOD_SECONDS, Handed, Handovers
from app.reach import OutOfReach, address_for_phones
from app.roles import Role
from app.ways.wish import Known, Wish
from engine.model.clock import ManualClock
from engine.model.relation import Column
from tests.memory_engine import MAP_SHAPES, MemoryEngine
from tests.web_parts import ORIGIN, Socket, client_of, running_site, web_over

URL = "https://building.example"
NOW = 1_700_000_000_000_000
WAY = {"wish": {"kind": "machine", "software": "Word", "step_free": True}, "from": "kiosk-1"}


class OneWish:
    """A building in which the way of every wish is the same view."""

    def __init__(self) -> None:
        self.ended: list[tuple[str, str]] = []

    def known(self) -> Known:
        return Known(("machine",), ("Word",), (), ())

    def release(self, hold: str, reason: str) -> str:
        self.ended.append((hold, reason))
        return reason

    def want(self, wish: Wish) -> tuple[str, Sequence[Column]]:
        return "nearest_machines", ()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def web(tmp_path: Path, clock: ManualClock) -> Web:
    return web_over(MemoryEngine(), tmp_path, public_url=URL, wall=clock, ways=OneWish())


def scanned(web: Web) -> str:
    answer = client_of(web, Role.KIOSK).post("/api/handovers", json=WAY, headers=ORIGIN)
    assert answer.status_code == 201
    assert answer.json
    assert answer.json["qr"].startswith("data:image/svg+xml")
    assert answer.json["url"].startswith(f"{URL}/way/")
    return str(answer.json["url"].removeprefix(URL))


def test_a_phone_gets_the_way_and_nothing_else(web: Web) -> None:
    phone = client_of(web)
    page = phone.get(scanned(web))
    assert page.status_code == 200
    assert '"software": "Word"' in page.text
    assert phone.post("/api/way", json={}, headers=ORIGIN).json == {"view": "nearest_machines"}
    assert phone.get("/api/building").status_code == 200
    for path in ("/", "/kiosk", "/api/displays", "/api/kiosk", "/api/views"):
        assert phone.get(path).status_code == 403, path
    for path in ("/api/ways", "/api/handovers", "/api/holds"):
        assert phone.post(path, json=WAY, headers=ORIGIN).status_code in (403, 404, 405), path


def test_a_phone_ends_the_hold_of_its_own_way_and_no_other(tmp_path: Path, clock: ManualClock) -> None:
    ways = OneWish()
    web = web_over(MemoryEngine(), tmp_path, public_url=URL, wall=clock, ways=ways)
    held, phone = {**WAY, "hold": "h-1"}, client_of(web)
    answer = client_of(web, Role.KIOSK).post("/api/handovers", json=held, headers=ORIGIN).json
    assert answer
    assert phone.get(str(answer["url"]).removeprefix(URL)).status_code == 200
    other = phone.delete("/api/holds/h-2", json={"reason": "cancelled"}, headers=ORIGIN)
    assert (other.status_code, ways.ended) == (403, [])
    assert other.json == {"error": "this hold is not of the way that you were handed"}
    own = phone.delete("/api/holds/h-1", json={"reason": "arrived"}, headers=ORIGIN)
    assert (own.status_code, own.json) == (200, {"hold": "h-1", "state": "arrived"})
    assert ways.ended == [("h-1", "arrived")]


def test_a_code_is_good_for_ten_minutes_and_the_way_for_an_hour(web: Web, clock: ManualClock) -> None:
    path, phone = scanned(web), client_of(web)
    assert phone.get(path).status_code == 200
    clock.advance((GOOD_SECONDS + 1) * 1_000_000)
    late = client_of(web).get(path, headers={"Accept": "text/html"})
    assert late.status_code == 410
    assert "Scan the kiosk" in late.text
    assert phone.get("/api/building").status_code == 200
    clock.advance(3_600 * 1_000_000)
    assert phone.get("/api/building").status_code == 401


def test_a_way_that_was_not_signed_here_is_refused(web: Web, clock: ManualClock) -> None:
    other = Handovers("another secret", clock).sign(Handed(WAY["wish"], "kiosk-1"))  # type: ignore[arg-type]
    assert client_of(web).get(f"/way/{other}").status_code == 410
    assert client_of(web).get("/way/nonsense").status_code == 410


def test_whoever_is_signed_in_stays_who_they_are(web: Web) -> None:
    operator = client_of(web, Role.OPERATOR)
    assert operator.get(scanned(web)).status_code == 200
    assert operator.get("/alarms").status_code == 200
    assert operator.post("/api/way", json=WAY, headers=ORIGIN).json == {"view": "nearest_machines"}


def test_a_signed_way_says_all_that_it_was_made_of(clock: ManualClock) -> None:
    handovers = Handovers("secret", clock)
    handed = Handed({"kind": "to", "to": "1.09", "step_free": True}, "kiosk-1", "17", "slow")
    assert handovers.read(handovers.sign(handed)) == handed
    assert len(handovers.sign(handed)) < 140


def test_a_phones_socket_sees_its_way_and_no_other_view(tmp_path: Path) -> None:
    engine = MemoryEngine({**MAP_SHAPES, "ways_0123456789abcdef": MAP_SHAPES["nearest_machines"]})
    with running_site(tmp_path, engine=engine, ways=OneWish()) as site:
        token = Handovers(site.web.auth.secret_key, site.clock).sign(Handed({"kind": "machine"}, "kiosk-1"))
        phone = client_of(site.web)
        own = {"Host": f"127.0.0.1:{site.port}", "Origin": site.url}
        cookie = phone.get(f"/way/{token}", headers=own).headers["Set-Cookie"].partition(";")[0]
        assert phone.post("/api/way", json={}, base_url=site.url, headers={**own, "Cookie": cookie}).json
        socket = Socket(site, cookie)
        for view in ("people", "taken_desks", "ways_0123456789abcdef", "held_ways"):
            assert socket.emit("watch", {"view": view}), view
        for view in ("walking_points", "nearest_machines"):
            socket.emit("watch", {"view": view})
            assert socket.next("snapshot")[1]["view"] == view
        with pytest.raises(Empty):
            socket.next("snapshot", within=0.1)
        socket.close()


@pytest.mark.parametrize(
    ("settings", "host", "address"),
    [
        ({"public_url": "https://b.example/"}, "127.0.0.1:8000", "https://b.example"),
        ({"host": "0.0.0.0"}, "192.168.7.9:8000", "http://192.168.7.9:8000"),
        ({"host": "192.168.7.9", "port": 81}, "localhost:81", "http://192.168.7.9:81"),
    ],
)
def test_a_phone_is_sent_to_an_address_that_it_can_reach(
    tmp_path: Path, settings: dict[str, object], host: str, address: str
) -> None:
    config = WebConfig(state=tmp_path, building=tmp_path, **settings)  # type: ignore[arg-type]
    assert address_for_phones(config, "http", host) == address


def test_there_is_no_code_while_only_this_computer_is_served_and_it_is_said_why(tmp_path: Path) -> None:
    with pytest.raises(OutOfReach, match="SMARTCIS_PUBLIC_URL"):
        address_for_phones(WebConfig(state=tmp_path, building=tmp_path), "http", "[::1]:8000")
    web = web_over(MemoryEngine(), tmp_path)
    answer = client_of(web, Role.KIOSK).post("/api/handovers", json=WAY, headers=ORIGIN)
    assert answer.status_code == 409
    assert answer.json
    assert "Only this computer can reach SmartCIS" in answer.json["error"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "the body has no way"),
        ({"wish": {"kind": "machine", "colour": "red"}, "from": "p"}, "colour of the wish cannot be read"),
        ({"wish": {"kind": "x" * 300}, "from": "p"}, "kind of the wish cannot be read"),
        ({"wish": {"kind": "desk"}, "from": "p", "pace": "hurried"}, "hold or pace"),
        ([1], "the body has no way"),
    ],
)
def test_what_is_wrong_with_a_handover_is_said(web: Web, body: object, problem: str) -> None:
    answer = client_of(web, Role.KIOSK).post("/api/handovers", json=body, headers=ORIGIN)
    assert answer.status_code == 400
    assert answer.json
    assert problem in answer.json["error"]
