"""The doors with contacts: where they stand, when the day closes them, what they are told."""

from collections.abc import Mapping
from math import dist
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from ingest.building.contacts import wing
from ingest.building.design import the_building
from ingest.building.doors import DoorDevices, closings
from ingest.building.elements import DoorContact
from ingest.building.schedule import CLOSES, HOUR, OPENS, Moment, Schedule
from ingest.building.words import Word, Words

BUILDING = the_building()
SEED, EPOCH = 7, 1_700_000_000_000_000
TOLD_CLOSED, TOLD_OPEN = b'{"open": false}', b'{"open": true}'


class Ear:
    def __init__(self) -> None:
        self.heard: list[tuple[str, bool]] = []

    def send(self, topic: str, payload: Mapping[str, Any], retain: bool = False) -> None:
        assert retain
        self.heard.append((topic, payload["open"]))


def ways(closed: set[str]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(point.id for point in BUILDING.points)
    graph.add_edges_from((segment.a, segment.b) for segment in BUILDING.segments if segment.id not in closed)
    return graph


def cut_off(closed: set[str]) -> set[str]:
    graph = ways(closed)
    reached = set().union(*(nx.node_connected_component(graph, e.point) for e in BUILDING.entrances))
    return {room.id for room in BUILDING.rooms if f"r{room.id}" not in reached}


def test_every_door_stands_on_the_segment_that_it_closes():
    points = {point.id: point.place for point in BUILDING.points}
    segments = {segment.id: segment for segment in BUILDING.segments}
    for contact in BUILDING.contacts:
        (ax, ay), (bx, by) = contact.ends
        middle = ((ax + bx) / 2, (ay + by) / 2)
        a, b = points[segments[contact.segment].a], points[segments[contact.segment].b]
        assert dist(a, middle) + dist(middle, b) == pytest.approx(dist(a, b), abs=0.05)
    ids = [contact.id for contact in BUILDING.contacts]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("floor", [1, 2, 3])
@pytest.mark.parametrize("side", ["west", "east"])
def test_closing_the_doors_of_a_wing_cuts_off_its_rooms_and_no_others(floor: int, side: str):
    doors = [c for c in BUILDING.contacts if c.floor == floor and wing(c) == side and c.kind != "lab"]
    found = cut_off({door.segment for door in doors})
    limit = {"west": lambda x: x < 48, "east": lambda x: x > 44}[side]
    assert len(found) > 10
    assert all(room.floor == floor and limit(room.middle[0]) for room in BUILDING.rooms if room.id in found)


def test_a_lab_is_cut_off_by_both_of_its_doors_and_by_neither_alone():
    doors = [c for c in BUILDING.contacts if c.name.startswith("Lab Lovelace")]
    assert len(doors) == 2
    assert cut_off({doors[0].segment}) == cut_off({doors[1].segment}) == set()
    assert cut_off({door.segment for door in doors}) == {"1.09"}


def test_doors_close_seldom_and_every_kind_but_the_entrances_does_on_most_days():
    days = [closings(BUILDING.contacts, SEED, day) for day in range(20)]
    spans = [(b, e) for day in days for uses in day.values() for b, e in uses]
    assert all(OPENS < begins < ends < CLOSES for begins, ends in spans)
    share = sum(ends - begins for begins, ends in spans) / (20 * len(BUILDING.contacts) * (CLOSES - OPENS))
    assert 0.001 < share < 0.01
    kinds = {c.id: c.kind for c in BUILDING.contacts}
    for kind in ("lab", "corridor", "stairs"):
        assert sum(any(uses and kinds[door] == kind for door, uses in day.items()) for day in days) > 10
    assert closings(BUILDING.contacts, SEED, 3) == days[3]
    assert closings(BUILDING.contacts, SEED + 1, 3) != days[3]


def contacts(floor: int) -> list[DoorContact]:
    return [contact for contact in BUILDING.contacts if contact.floor == floor]


def devices(floor: int, file: Path | None = None) -> tuple[DoorDevices, Ear, Schedule]:
    ear, schedule = Ear(), Schedule(EPOCH)
    return DoorDevices(contacts(floor), SEED, schedule, ear, Words(file)), ear, schedule


def test_a_door_obeys_at_once_and_for_the_rest_of_the_day():
    doors, ear, schedule = devices(1)
    doors.tell("door-1.09", TOLD_CLOSED, EPOCH)
    assert ear.heard == [("building/door/door-1.09", False)]
    assert not doors.is_open("door-1.09", Moment(0, 18 * HOUR))
    assert doors.is_open("door-1.09", Moment(1, OPENS))
    doors.tell("door-1.09", TOLD_OPEN, schedule.when(Moment(0, 11 * HOUR)))
    assert ear.heard[-1] == ("building/door/door-1.09", True)


def test_what_a_person_says_stands_above_the_days_closings():
    doors, _, schedule = devices(1)
    day, door, (begins, ends) = next(
        (day, door, uses[0])
        for day in range(20)
        for door, uses in closings(contacts(1), SEED, day).items()
        if uses
    )
    during = Moment(day, (begins + ends) / 2)
    assert not doors.is_open(door, during)
    doors.tell(door, TOLD_OPEN, schedule.when(Moment(day, begins + 1)))
    assert doors.is_open(door, during)


@pytest.mark.parametrize("payload", [b"", b"closed", b"[]", b'{"open": 1}', b'{"shut": true}', b"\xff"])
def test_what_a_door_does_not_understand_it_lets_pass(payload: bytes):
    doors, ear, _ = devices(1)
    doors.tell("door-1.09", payload, EPOCH)
    assert ear.heard == []


def test_a_door_of_another_floor_is_not_moved():
    doors, ear, _ = devices(2)
    doors.tell("door-1.09", TOLD_CLOSED, EPOCH)
    assert ear.heard == []


def test_what_a_door_was_told_is_known_to_the_next_process_until_that_day_ends(tmp_path: Path):
    file = tmp_path / "doors" / "floor-1.json"
    doors, _, schedule = devices(1, file)
    doors.tell("door-1.09", TOLD_CLOSED, EPOCH)
    ends = schedule.when(Moment(1, OPENS))
    for now, told in ((EPOCH, False), (ends - 1, False), (ends, None)):
        later = Words(file)
        later.recall(now)
        assert later.at("door-1.09", now) is told
    assert [path.name for path in file.parent.iterdir()] == ["floor-1.json"]


@pytest.mark.parametrize("found", [b"", b"[]", b"\xff", b'{"door-1.09": false}', b'{"door-1.09": {}}', b"{"])
def test_a_file_that_cannot_be_read_is_one_line_and_the_doors_go_by_the_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], found: bytes
):
    file = tmp_path / "floor-1.json"
    file.write_bytes(found)
    words = Words(file)
    words.recall(EPOCH)
    assert words.at("door-1.09", EPOCH) is None
    assert capsys.readouterr().err.count("\n") == 1
    words.say("door-1.09", Word(EPOCH + 1, is_open=False))
    again = Words(file)
    again.recall(EPOCH)
    assert again.at("door-1.09", EPOCH) is False


def test_a_folder_that_cannot_be_written_is_one_line_and_the_door_obeys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "doors").write_text("in the way")
    doors, ear, _ = devices(1, tmp_path / "doors" / "floor-1.json")
    doors.tell("door-1.09", TOLD_CLOSED, EPOCH)
    assert ear.heard == [("building/door/door-1.09", False)]
    assert capsys.readouterr().err.count("\n") == 1
