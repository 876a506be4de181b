"""What views want of gateways is declared in the log while they want it; who has not answered is named."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from engine.outcomes import Listing, Plan
from ingest.declarations import in_force, read_declaration
from ingest.log import CLOCK_ENTRY, Entry
from tests.declared_house import House
from tests.environment.waiting import until
from tests.gateway_messages import body, state

SOURCES = """
mqtt:
  radiators:
    field: field/+/radiator/{room}
    columns: {room: text, valve: double}
    key: [room]
    window: PARTITION BY room ROWS 1
  lights:
    topic: building/light/{room}
    field: field/+/light/{room}
    columns: {room: text, lux: double}
    key: [room]
    window: PARTITION BY room ROWS 1
gateways:
  floor-1: {links: [base]}
  floor-2: {links: [base]}
"""
WARM = "SELECT room FROM radiators WHERE valve > 50.0"
FLOORS = ("floor-1", "floor-2")


class Gateways:
    """Say of each version of a fragment that is in force what is given for each gateway that is up."""

    def __init__(self, house: House, rooms: dict[str, str]) -> None:
        self.house, self.rooms = house, rooms
        self.answered: set[tuple[int, str]] = set()
        self.ending = Event()
        house.log.append([state(name, state="up", incarnation=1) for name in FLOORS])
        self.thread = Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while not self.ending.wait(0.02):
            for found in asked(self.house):
                for name, room in self.rooms.items():
                    if (found.offset, name) not in self.answered:
                        self.answered.add((found.offset, name))
                        topic = f"fragment/{found.name.partition(':')[2]}/{name}"
                        self.house.log.append([Entry("mqtt", topic, body(found.offset, 0, [[1, [room]]]))])

    def stop(self) -> None:
        self.ending.set()
        self.thread.join(120)


class Clock:
    """Lets the log's time pass, as its writer does."""

    def __init__(self, house: House) -> None:
        self.house, self.ending = house, Event()
        self.thread = Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while not self.ending.wait(0.05):
            self.house.log.append([CLOCK_ENTRY])

    def stop(self) -> None:
        self.ending.set()
        self.thread.join(120)


def asked(house: House) -> list[Any]:
    found = in_force(read_declaration(*each) for each in house.log.declared())
    return [each for each in found if each.is_fragment]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path, declared=SOURCES)
    clock = Clock(made)
    yield made
    clock.stop()
    made.stop()


@pytest.fixture
def gateways(house: House) -> Iterator[Gateways]:
    made = Gateways(house, {"floor-1": "1.01", "floor-2": "2.01"})
    yield made
    made.stop()


def once(house: House, sql: str = WARM) -> Listing:
    (found,) = house.do(sql)
    assert isinstance(found, Listing)
    return found


def without(house: House, view: str = "warm") -> tuple[str, ...]:
    return next(info.missing for info in house.engine.views() if info.name == view)


def test_a_query_asked_once_waits_until_every_gateway_has_answered_and_leaves_nothing_behind(
    house: House, gateways: Gateways
) -> None:
    found = once(house)
    assert (sorted(found.rows), found.missing) == ([("1.01",), ("2.01",)], ())
    until(lambda: not asked(house), 5, "the fragment to be dropped")
    assert not house.engine.shipped()
    gateways.rooms["floor-1"] = "1.02"
    assert sorted(once(house).rows) == [("1.02",), ("2.01",)], "no row of its earlier life"


def test_a_plan_that_is_analyzed_is_that_of_a_query_that_every_gateway_has_answered(
    house: House, gateways: Gateways
) -> None:
    (found,) = house.do(f"EXPLAIN ANALYZE {WARM}")
    assert isinstance(found, Plan)
    kept = found.plan.root.kept
    assert kept is not None
    assert (found.plan.missing, kept.rows, kept.came) == ((), 2, 2)
    assert not house.engine.shipped()


def test_a_gateway_that_is_gone_is_not_waited_for_and_is_named(house: House, gateways: Gateways) -> None:
    del gateways.rooms["floor-2"]
    house.log.append([state("floor-2", state="gone", incarnation=1)])
    until(lambda: ("floor-2", "gone") in {row[:2] for row in sites(house)}, 5, "the word to arrive")
    found = once(house)
    assert (found.rows, found.missing) == ((("1.01",),), ("floor-2",))


def test_what_is_not_answered_in_time_is_left_out_and_named(
    house: House, gateways: Gateways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.awaiting.WAIT_SECONDS", 0.6)
    del gateways.rooms["floor-2"]
    until(lambda: len(sites(house)) == 2, 5, "both to be known")
    found = once(house)
    assert (found.rows, found.missing) == ((("1.01",),), ("floor-2",))


def test_a_view_says_which_sites_it_is_without_until_they_are_back(house: House, gateways: Gateways) -> None:
    house.do(f"CREATE VIEW warm AS {WARM}")
    until(lambda: without(house) == () and len(asked(house)) == 1, 5, "both to answer")
    house.log.append([state("floor-1", state="gone", incarnation=1)])
    until(lambda: without(house) == ("floor-1",), 5, "the view to miss it")
    assert house.rows("SELECT * FROM warm") == [("1.01",), ("2.01",)], "what it said last stands"
    (shown,) = [row for row in house.do("SHOW VIEWS")[0].rows if row[0] == "warm"]  # type: ignore[union-attr]
    assert shown[3] == "running without floor-1"
    house.log.append([state("floor-1", state="up", incarnation=2)])
    until(lambda: without(house) == (), 5, "it to be back")


def test_a_query_is_known_to_be_without_its_sites_as_soon_as_it_is_followed(house: House) -> None:
    view = house.engine.query(WARM)
    house.engine.subscribe(view, lambda _: None)
    house.log.append([state("floor-1", state="gone", incarnation=1)])
    until(lambda: house.engine.missing().get(view) == ("floor-1",), 5, "the site to be known")
    other = house.engine.query(WARM + " AND TRUE")
    house.engine.subscribe(other, lambda _: None)
    assert house.engine.missing()[other] == ("floor-1",)


def test_a_view_over_what_gateways_hand_on_says_which_is_gone(house: House, gateways: Gateways) -> None:
    house.do("CREATE VIEW lit AS SELECT room FROM lights WHERE lux > 100.0")
    house.do("CREATE VIEW there AS SELECT site FROM sites")
    until(lambda: len(sites(house)) == 2, 5, "both to be known")
    house.log.append([Entry("mqtt", "building/light/1.01", b'{"lux": 300}')])
    until(lambda: house.rows("SELECT * FROM lit") == [("1.01",)], 5, "the light")
    assert without(house, "lit") == ()
    house.log.append([state("floor-1", state="gone", incarnation=1)])
    until(lambda: without(house, "lit") == ("floor-1",), 5, "the view to miss it")
    assert house.engine.missing() == {"lit": ("floor-1",)}, "what no gateway hands on lacks nothing"
    house.log.append([state("floor-1", state="up", incarnation=2)])
    until(lambda: without(house, "lit") == (), 5, "it to be back")


def test_a_restart_goes_on_with_what_is_in_force_and_drops_what_nobody_wants(tmp_path: Path) -> None:
    first = House(tmp_path, declared=SOURCES)
    clock, gateways = Clock(first), Gateways(first, {"floor-1": "1.01", "floor-2": "2.01"})
    first.do(f"CREATE VIEW warm AS {WARM}")
    until(lambda: len(first.rows("SELECT * FROM warm")) == 2, 5, "both to answer")
    first.engine.query("SELECT room FROM radiators")
    until(lambda: len(asked(first)) == 2, 5, "two fragments to be asked for")
    before = {each.name: each.offset for each in asked(first)}
    gateways.stop()
    clock.stop()
    image = first.stop()
    again = House(tmp_path, image, SOURCES)
    until(lambda: len(asked(again)) == 1, 5, "the query's fragment to go")
    (kept,) = asked(again)
    assert before[kept.name] == kept.offset, "it was not asked anew"
    assert again.rows("SELECT * FROM warm") == [("1.01",), ("2.01",)]
    again.stop()


def sites(house: House) -> list[tuple[Any, ...]]:
    return list(house.rows("SELECT site, state FROM sites"))


def test_the_declaration_says_what_is_to_run_and_where(house: House) -> None:
    house.do(f"CREATE VIEW warm AS {WARM}")
    until(lambda: len(asked(house)) == 1, 5, "the fragment to be asked for")
    (found,) = asked(house)
    assert (found.body["wrapper"], found.site, found.body["method"]) == ("sensor", "sensor", "natural")
    assert found.body["columns"] == [["c0", "text", True]]
    assert json.dumps(found.body["plan"]).count("radiators") == 2, "the relation and the rows of it"
