"""Holds over a real log: twenty who ask at once, what is taken on the way, what a restart keeps."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.roles import Role
from app.ways.holding import NoSuchHold, NothingFree, TooManyHolds
from app.ways.plans import install_way_views
from app.ways.shared import FRESH, UNWATCHED, SharedWays, TooManyWishes
from app.ways.wish import Wish
from app.ways.wishing import RealWays
from engine.model.clock import SystemClock
from engine.model.errors import QueryError
from engine.views.checkpoint import Image
from tests.declared_house import House
from tests.environment.waiting import until
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

SOURCES = """
mqtt:
  seats: {topic: 'seat/{desk}', columns: {desk: text, pressed: boolean}, window: PARTITION BY desk ROWS 1}
  door_states: {topic: 'door/{door}', columns: {door: text, open: boolean}, window: PARTITION BY door ROWS 1}
"""
DESKS = 24
FACTS = (
    "CREATE TABLE rooms (room text PRIMARY KEY, name text, kind text, open_lab boolean, point text)",
    "CREATE TABLE desks (desk text PRIMARY KEY, room text, x double, y double, point text)",
    "CREATE TABLE machines (machine text PRIMARY KEY, desk text, room text)",
    "CREATE TABLE software (machine text, package text)",
    "CREATE TABLE routing_points "
    "(point text PRIMARY KEY, floor bigint, x double, y double, kind text, room text)",
    "CREATE TABLE routing_segments "
    "(segment text PRIMARY KEY, a text, b text, metres double, seconds double, way text)",
    "CREATE TABLE doors (door text PRIMARY KEY, name text, segment text)",
    "INSERT INTO rooms VALUES ('1.01', 'Lab', 'lab', true, 'p0')",
    "INSERT INTO doors VALUES ('o', 'Door', 's1')",
    *(f"INSERT INTO routing_points VALUES ('p{n}', 1, 0.0, 0.0, 'corridor', NULL)" for n in range(DESKS)),
    *(
        f"INSERT INTO routing_segments VALUES ('s{n}', 'p{n}', 'p{n + 1}', 2.0, 100.0, 'corridor')"
        for n in range(DESKS - 1)
    ),
    *(f"INSERT INTO desks VALUES ('d{n:02d}', '1.01', 0.0, 0.0, 'p{n}')" for n in range(DESKS)),
    *(f"INSERT INTO machines VALUES ('m{n:02d}', 'd{n:02d}', '1.01')" for n in range(DESKS)),
    "INSERT INTO software VALUES ('m05', 'Word')",
)
MACHINE = Wish("machine")


class Building:
    """The house with ways: a corridor with a door, and a free machine every 2 m."""

    def __init__(self, folder: Path, image: Image | None = None) -> None:
        self.house = House(folder, image, SOURCES)
        self.engine, session = self.house.engine, self.house.session
        if image is None:
            self.house.do("; ".join(FACTS))
            for n in range(DESKS):
                self.sit(n, down=False)
        self.engine.ask(lambda: install_way_views(session, session.catalog, ()))
        self.ways = RealWays(self.engine, session, self.house.log, SystemClock(), ())
        self.ways.moving.start()

    def sit(self, desk: int, *, down: bool = True) -> None:
        self.house.hears(f"seat/d{desk:02d}", b'{"pressed": true}' if down else b'{"pressed": false}')

    def now(self, hold: str) -> tuple[object, ...]:
        """Target and state of a hold."""
        return next(tuple(row[2:4]) for row, _ in self.engine.snapshot("holds_now").rows if row[0] == hold)

    def stop(self) -> Image:
        self.ways.moving.stop()
        return self.house.stop()


@pytest.fixture
def building(tmp_path: Path) -> Iterator[Building]:
    made = Building(tmp_path)
    yield made
    made.stop()


def test_twenty_who_ask_at_once_get_twenty_targets(building: Building) -> None:
    wishes = (MACHINE, Wish("desk"))

    def ask(kiosk: int) -> tuple[str, str]:
        held = building.ways.hold(wishes[kiosk % 5 == 0], "p3", f"kiosk-{kiosk}")
        return held.kind, held.target[1:]

    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(ask, range(20)))
    assert len({place for _, place in found}) == 20
    assert {kind for kind, _ in found} == {"machine", "desk"}
    assert len(building.engine.snapshot("holds_now").rows) == 20


def test_what_is_held_is_there_for_its_holder_only_and_again_when_let_go(building: Building) -> None:
    view, columns = building.ways.want(MACHINE)
    assert [column.name for column in columns] == ["point", "next", "target", "length", "seconds"]
    held = building.ways.hold(MACHINE, "p3", "lobby")
    assert (held.kind, held.target, held.seconds) == ("machine", "m03", 0)
    assert "m03" not in {row[2] for row, _ in building.engine.snapshot(view).rows}
    assert building.engine.snapshot("held_ways").rows == (((held.hold, "p3", "p3", "m03", 0, 0), 1),)
    assert building.ways.release(held.hold, "arrived") == "arrived"
    assert "m03" in {row[2] for row, _ in building.engine.snapshot(view).rows}
    assert building.now(held.hold) == ("m03", "arrived")
    assert building.ways.release(held.hold, "cancelled") == "arrived"


def test_a_kiosk_holds_three_at_most_and_nothing_is_held_that_is_not_there(building: Building) -> None:
    held = [building.ways.hold(MACHINE, "p0", "lobby") for _ in range(3)]
    assert [each.target for each in held] == ["m00", "m01", "m02"]
    with pytest.raises(TooManyHolds, match="lobby holds 3 targets already"):
        building.ways.hold(MACHINE, "p0", "lobby")
    building.ways.release(held[0].hold, "cancelled")
    word = Wish("machine", software="Word")
    assert building.ways.hold(word, "p0", "lobby").target == "m05"
    with pytest.raises(NothingFree, match="nothing that fits is free and can be reached from p0"):
        building.ways.hold(word, "p0", "yard")
    with pytest.raises(NothingFree, match="m05 is not free"):
        building.ways.hold(Wish("to", to="m05", thing="machine"), "p0", "yard")
    with pytest.raises(QueryError, match="unknown routing point p99"):
        building.ways.hold(MACHINE, "p99", "yard")
    with pytest.raises(NoSuchHold, match="there is no hold nothing"):
        building.ways.release("nothing", "arrived")


def test_who_finds_somebody_sitting_there_or_the_door_closed_is_sent_on(building: Building) -> None:
    held = building.ways.hold(Wish("machine", software="Word"), "p0", "lobby")
    other = building.ways.hold(Wish("to", to="m04", thing="machine"), "p0", "yard")
    building.sit(4)
    until(lambda: building.now(other.hold)[1] == "ended", 5, "the hold of one machine by name to end")
    building.house.hears("door/o", b'{"open": false}')
    until(lambda: building.now(held.hold)[1] == "ended", 5, "the hold of the only one with Word to end")
    third = building.ways.hold(MACHINE, "p1", "lobby")
    assert third.target == "m01"
    building.sit(1)
    until(lambda: building.now(third.hold)[1] == "arrived", 5, "who stood there to have arrived")
    fourth = building.ways.hold(MACHINE, "p3", "garden")
    assert fourth.target == "m03"
    fifth = building.ways.hold(MACHINE, "p3", "garden")
    building.sit(int(fifth.target[1:]))
    until(lambda: building.now(fifth.hold)[1] == "moved", 5, "the second to be sent on")
    assert building.now(fifth.hold)[0] not in (fifth.target, "m03")
    assert {row[3] for row, _ in building.engine.snapshot("held_ways").rows if row[0] == fifth.hold} == {
        building.now(fifth.hold)[0]
    }


def test_a_restart_keeps_what_is_held(building: Building, tmp_path: Path) -> None:
    held = building.ways.hold(MACHINE, "p3", "lobby")
    again = Building(tmp_path, building.stop())
    assert again.now(held.hold) == ("m03", "held")
    assert again.ways.hold(MACHINE, "p3", "yard").target != "m03"
    again.stop()


def test_views_of_wishes_are_shared_bounded_and_go_when_nobody_watches(tmp_path: Path) -> None:
    house = House(tmp_path, None, SOURCES)
    house.do("; ".join(FACTS))
    shared = SharedWays(house.engine, house.session, (), most=2)
    step_free = Wish("machine", step_free=True)
    name, _ = shared.want(MACHINE)
    assert shared.want(MACHINE)[0] == name
    shared.want(step_free)
    with pytest.raises(TooManyWishes, match="2 wishes are being followed already"):
        shared.want(Wish("desk"))
    watched = house.engine.subscribe(name, lambda _: None)
    at = house.engine.stamp().at
    for wish in (MACHINE, step_free):
        shared._wanted[wish.view] = at - FRESH - 1
    shared.want(Wish("desk"))
    there = {view.name for view in house.engine.views()}
    assert {name, Wish("desk").view} <= there
    assert step_free.view not in there
    for view in shared._wanted:
        shared._wanted[view] = at - UNWATCHED - 1
    shared._looked = 0
    house.hears("seat/d00", b'{"pressed": false}')
    assert {view.name for view in house.engine.views()} & shared._wanted.keys() == {name}
    watched.close()
    house.stop()


def test_the_web_says_what_was_held_and_what_was_not(building: Building, tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path / "web", ways=building.ways), Role.KIOSK)
    found = client.get("/api/ways/wishes").json
    assert found["kinds"] == ["machine", "desk", "room", "to"]
    assert found["software"] == ["Word"]
    assert found["rooms"] == [{"id": "1.01", "name": "Lab"}]
    told = post(client, "/api/ways", {"kind": "machine", "software": "Word"})
    assert told[0] == 200
    assert told[1]["view"].startswith("ways_")
    asked = {"kind": "machine", "software": "Word", "from": "p0", "kiosk": "lobby"}
    status, held = post(client, "/api/holds", asked)
    assert (status, held["target"], held["view"], held["seconds"]) == (201, "m05", "held_ways", 500)
    assert held["until"].endswith("Z")
    assert post(client, "/api/holds", asked)[0] == 409
    for _ in range(2):
        assert post(client, "/api/holds", {**asked, "software": None})[0] == 201
    status, told = post(client, "/api/holds", {**asked, "software": None})
    assert (status, told["error"]) == (
        429,
        "lobby holds 3 targets already; let one go, or wait until one has run out",
    )
    ended = client.delete(f"/api/holds/{held['hold']}", json={"reason": "arrived"}, headers=ORIGIN)
    assert ended.json == {"hold": held["hold"], "state": "arrived"}
    unknown = client.delete("/api/holds/nothing", json={"reason": "arrived"}, headers=ORIGIN)
    assert unknown.status_code == 404
    assert client.delete("/api/holds/x", json={"reason": "bored"}, headers=ORIGIN).status_code == 400


def post(client: FlaskClient, path: str, body: object) -> tuple[int, dict[str, object]]:
    answer = client.post(path, json=body, headers=ORIGIN)
    return answer.status_code, answer.json


def test_a_server_without_ways_says_so(tmp_path: Path) -> None:
    client = client_of(web_over(MemoryEngine(), tmp_path), Role.KIOSK)
    assert client.get("/api/ways/wishes").json["kinds"] == []
    assert post(client, "/api/ways", {"kind": "machine"})[1]["error"].startswith("a wish has no kind")
