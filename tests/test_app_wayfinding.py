"""The demo building's ways: what a graph library says of the same facts, after every change."""

import math
from collections import Counter
from random import Random
from typing import Any

import networkx as nx
import pytest
from structlog.testing import capture_logs

from app.told import explained
from app.wayfinding import VIEWS, binder, free_machines, install_wayfinding
from app.why import effort, told
from engine.lang.streamsql import CreateView, parse, parse_script
from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.views.checkpoint import from_bytes, to_bytes
from ingest.building.design import FOLDER
from ingest.building.elements import Desk
from ingest.building.facts import TABLES
from tests.demo_building import BUILDING, catalog_of, laid_out
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate

OPEN_LABS = {room.id for room in BUILDING.rooms if room.open_lab}
POINTS = {point.id: point.place for point in BUILDING.points}
DESKS = {desk.id: desk for desk in BUILDING.desks}
PUBLIC = [machine for machine in BUILDING.machines if machine.room in OPEN_LABS]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog_of(tmp_path_factory.mktemp("facts"))


SCRIPT = parse_script((FOLDER / "views.sql").read_text())


class Demo:
    """The demo's facts in a session, its sensors in the test's hand."""

    def __init__(self, catalog: Catalog) -> None:
        self.log = MemoryLog()
        self.session = self.log.session(catalog)
        install_wayfinding(self.session, catalog, SCRIPT)
        for statement in SCRIPT:
            self.session.replace(statement)
        for name in TABLES:
            self.log.write(0, name, *laid_out(catalog[name]))
        self.log.write(0, "seats", *((desk.id, False) for desk in BUILDING.desks))
        self.log.tick(self.session)
        self.taken: set[str] = set()
        self.busy: set[str] = set()
        self.dark: set[str] = set()
        self.shut: set[str] = set()

    def sit(self, desk: str, down: bool) -> None:
        (self.taken.add if down else self.taken.discard)(desk)
        self.log.write(1000, "seats", (desk, down))

    def load(self, machine: str, busy: bool) -> None:
        (self.busy.add if busy else self.busy.discard)(machine)
        self.log.write(1000, "machine_states", (machine, 0.9 if busy else 0.1, "task", True))

    def light(self, room: str, dark: bool) -> None:
        (self.dark.add if dark else self.dark.discard)(room)
        self.log.write(1000, "lights", (room, 5.0 if dark else 400.0))

    def door(self, door: str, shut: bool) -> None:
        (self.shut.add if shut else self.shut.discard)(door)
        self.log.write(1000, "door_states", (door, not shut))

    def lock_lab_lovelace(self) -> None:
        for door in ("door-1.09", "door-1.09b"):
            self.door(door, shut=True)
        self.tick()

    def tick(self) -> None:
        self.log.tick(self.session)

    def graph(self) -> nx.Graph:
        closed = {contact.segment for contact in BUILDING.contacts if contact.id in self.shut}
        graph = nx.Graph()
        graph.add_nodes_from(point.id for point in BUILDING.points)
        for way in BUILDING.segments:
            if way.id not in closed:
                graph.add_edge(way.a, way.b, length=max(1, int(way.metres * 100 + 0.5)))
        return graph

    def free(self) -> dict[str, tuple[str, int]]:
        """The free machines with their points, and how far off those they stand."""
        return {
            machine.id: off(DESKS[machine.desk])
            for machine in PUBLIC
            if machine.desk not in self.taken
            and machine.id not in self.busy
            and machine.room not in self.dark
        }

    def check(self) -> None:
        graph, free = self.graph(), self.free()
        for machine, (point, length) in free.items():
            graph.add_edge(point, ("machine", machine), length=length)
        stands = {("machine", machine) for machine in free}
        far = nx.multi_source_dijkstra_path_length(graph, stands, weight="length") if free else {}
        far = {point: length for point, length in far.items() if point not in stands}
        found = {row[0]: row[1:] for row in rows_of(self.session, "nearest_machines")}
        assert {point: length for point, (_, _, length) in found.items()} == far
        for point, (next_point, target, length) in found.items():
            if next_point == point:
                assert free[target] == (point, length)
            else:
                _, onward_target, rest = found[next_point]
                assert (onward_target, rest + graph[point][next_point]["length"]) == (target, length)
        reached = set().union(*(nx.node_connected_component(graph, e.point) for e in BUILDING.entrances))
        lost = {(room.id,): 1 for room in BUILDING.rooms if f"r{room.id}" not in reached}
        assert rows_of(self.session, "cut_off_rooms") == Counter(lost)


def off(desk: Desk) -> tuple[str, int]:
    (x, y), (px, py) = desk.middle, POINTS[desk.point]
    return desk.point, math.floor(100.0 * math.pow(math.pow(x - px, 2.0) + math.pow(y - py, 2.0), 0.5))


def test_the_way_from_the_kiosk_goes_round_a_closed_door_and_on_to_the_next_machine(catalog: Catalog):
    demo = Demo(catalog)
    point, target, length = way(demo)
    assert (point, target, length) == ("r1.05", "lovelace-08", 4718)
    demo.sit(next(machine.desk for machine in PUBLIC if machine.id == target), down=True)
    demo.tick()
    assert way(demo)[1] != target
    demo.lock_lab_lovelace()
    assert way(demo)[1].startswith("hopper-")
    assert rows_of(demo.session, "cut_off_rooms") == Counter({("1.09",): 1})
    demo.check()


def way(demo: Demo) -> Any:
    return next(row[1:] for row in rows_of(demo.session, "nearest_machines") if row[0] == "kiosk-1")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_way_and_what_is_cut_off_are_right_after_every_change(catalog: Catalog, seed: int):
    demo, random = Demo(catalog), Random(seed)
    for machine in random.sample(PUBLIC, 60):
        demo.sit(machine.desk, down=True)
    for _ in range(25):
        for _ in range(random.choice((1, 2, 12))):
            one_change(demo, random)
        demo.tick()
        demo.check()


def one_change(demo: Demo, random: Random) -> None:
    machine, on = random.choice(PUBLIC), random.random() < 0.5
    match random.choice(("seat", "seat", "load", "light", "door", "door")):
        case "seat":
            demo.sit(machine.desk, on)
        case "load":
            demo.load(machine.id, on)
        case "light":
            demo.light(random.choice(sorted(OPEN_LABS)), on)
        case "door":
            demo.door(random.choice(BUILDING.contacts).id, on)


def test_which_machines_are_free_is_what_the_plan_means(catalog: Catalog):
    demo = Demo(catalog)
    demo.light("1.01", dark=True)
    demo.load("lovelace-02", busy=True)
    demo.sit("1.09-d01", down=True)
    demo.log.write(1, "reserved", ("e1", "2.01", "Compilers", 0, 1))
    demo.tick()
    expected = evaluate(
        free_machines(binder(catalog, SCRIPT)),
        [r for r in demo.log.readings if is_of_open_labs(r)],
        demo.session.stamp.at,
    )
    assert rows_of(demo.session, "free_machines") == expected
    rooms = Counter(room for _, room, _, _ in expected)
    assert set(rooms) == OPEN_LABS - {"1.01", "2.01"}
    assert rooms["1.09"] == sum(machine.room == "1.09" for machine in PUBLIC) - 2


def is_of_open_labs(reading: Reading) -> bool:
    """Whether the oracle, which joins by trying all, needs a row."""
    room = {"routing_points": -1, "desks": 1, "machines": 2}.get(reading.relation)
    if reading.relation == "seats":
        return DESKS[str(reading.row[0])].room in OPEN_LABS
    return room is None or reading.row[room] in OPEN_LABS


def test_why_a_room_is_cut_off_names_its_closed_doors(catalog: Catalog):
    demo = Demo(catalog)
    demo.lock_lab_lovelace()
    found = told(demo.session.why("cut_off_rooms", ("1.09",), effort()))
    said = [line.strip() for line in explained(found)]
    for door, ends in (("door-1.09", "d1.09 to c1-s23"), ("door-1.09b", "d1.09b to c1-s25")):
        (line,) = [line for line in said if line.startswith(f"blocked by door_states({door}, false)")]
        assert line.endswith(f": from {ends}")
    demo.door("door-1.09b", shut=False)
    demo.tick()
    assert not rows_of(demo.session, "cut_off_rooms")


def test_a_view_in_text_may_stand_on_those(catalog: Catalog):
    demo = Demo(catalog)
    demo.session.replace(parse("CREATE VIEW far_rooms AS SELECT c.room FROM cut_off_rooms c"))
    demo.lock_lab_lovelace()
    assert rows_of(demo.session, "far_rooms") == Counter({("1.09",): 1})


def test_after_a_restart_the_ways_are_what_they_were_before_any_device_speaks(catalog: Catalog):
    demo = Demo(catalog)
    demo.session.replace(parse("CREATE VIEW far_rooms AS SELECT c.room FROM cut_off_rooms c"))
    demo.lock_lab_lovelace()
    next_run, said = demo.log.session(catalog), list[str]()
    install_wayfinding(next_run, catalog, SCRIPT)
    next_run.restore(from_bytes(to_bytes(demo.session.image())), said.append)
    next_run.restored(said.append)
    for view in (*VIEWS, "far_rooms", "doors_now"):
        assert rows_of(next_run, view) == rows_of(demo.session, view)
    assert rows_of(next_run, "far_rooms")
    assert said == []


def test_a_building_without_doors_gets_what_it_has_the_relations_for(catalog: Catalog):
    known = Catalog(relation for relation in catalog if relation.name not in ("doors", "routing_segments"))
    session = MemoryLog().session(known)
    with capture_logs() as said:
        install_wayfinding(session, known, SCRIPT)
    assert [view.name for view in session.views()] == ["free_machines"]
    assert [line["view"] for line in said] == [name for name in VIEWS if VIEWS[name] is not free_machines]
    assert all("unknown relation" in line["reason"] for line in said)


def test_what_is_busy_is_what_the_building_says_it_is(catalog: Catalog):
    demo = Demo(catalog)
    demo.load("lovelace-02", busy=True)
    demo.tick()
    assert "lovelace-02" not in {machine for machine, *_ in rows_of(demo.session, "free_machines")}
    easier = [
        parse(statement.text.replace("m.cpu >= 0.6", "m.cpu >= 2.0"))
        for statement in SCRIPT
        if isinstance(statement, CreateView)
    ]
    session = demo.log.session(catalog)
    install_wayfinding(session, catalog, easier)
    demo.log.tick(session)
    assert "lovelace-02" in {machine for machine, *_ in rows_of(session, "free_machines")}
