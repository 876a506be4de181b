"""The simulated building's design: what the issue asks for is there, and the geometry holds."""

import json
from collections import Counter, defaultdict
from itertools import combinations, pairwise
from math import dist
from pathlib import Path

import networkx as nx
import pytest
from shapely import LineString, Point, Polygon, unary_union

from ingest.building.design import FOLDER, files, the_building
from ingest.building.routing import LINES, STOREY, place_detectors

BUILDING = the_building()
FLOORS = [floor.number for floor in BUILDING.floors]
KINDS = {
    "floor", "room", "corridor", "stairs", "elevator", "desk", "machine", "detector", "entrance", "door",
}  # fmt: skip


def polygons(floor: int) -> dict[str, Polygon]:
    return {room.id: Polygon(room.outline) for room in BUILDING.rooms if room.floor == floor}


def test_there_is_as_much_of_everything_as_promised():
    rooms = Counter(room.kind for room in BUILDING.rooms)
    assert len(FLOORS) == 3
    assert len(BUILDING.rooms) >= 60
    assert rooms["lab"] == 6
    assert len(BUILDING.desks) >= 150
    assert {machine.desk for machine in BUILDING.machines} == {desk.id for desk in BUILDING.desks}
    assert len({shaft.well for shaft in BUILDING.shafts if shaft.kind == "elevator"}) == 2
    assert len(BUILDING.points) >= 300
    assert len(BUILDING.entrances) >= 2
    assert {segment.way for segment in BUILDING.segments} == {
        "corridor",
        "door",
        "stairs",
        "elevator",
        "ramp",
    }


def test_every_name_is_given_once():
    for things in (
        BUILDING.rooms, BUILDING.desks, BUILDING.machines, BUILDING.detectors, BUILDING.doors,
        BUILDING.points, BUILDING.segments, BUILDING.shafts, BUILDING.corridors,
    ):  # fmt: skip
        names = [thing.id for thing in things]
        assert len(names) == len(set(names))
        assert all(names)


def test_every_routing_point_can_be_reached_from_every_other():
    graph = nx.Graph((segment.a, segment.b) for segment in BUILDING.segments)
    assert set(graph) == {point.id for point in BUILDING.points}
    assert nx.is_connected(graph)


def test_a_step_free_way_leads_from_the_street_to_every_floor():
    graph = nx.Graph((one.a, one.b) for one in BUILDING.segments if one.way != "stairs")
    reached = nx.node_connected_component(graph, "x-south-ramp")
    floors = {point.id: point.floor for point in BUILDING.points}
    assert {floors[point] for point in reached} == set(FLOORS)


def test_segments_are_as_long_as_the_way_they_draw():
    points = {point.id: point for point in BUILDING.points}
    for segment in BUILDING.segments:
        a, b = points[segment.a], points[segment.b]
        if a.floor == b.floor:
            assert segment.metres == pytest.approx(dist(a.place, b.place), abs=0.006), segment
        else:
            assert (segment.metres, segment.seconds) == STOREY[segment.way]
            assert a.place == b.place
            assert abs(a.floor - b.floor) == 1


@pytest.mark.parametrize("floor", FLOORS)
def test_rooms_shafts_and_corridors_do_not_overlap(floor):
    areas = polygons(floor)
    areas |= {shaft.id: Polygon(shaft.outline) for shaft in BUILDING.shafts if shaft.floor == floor}
    areas |= {one.id: Polygon(one.outline, one.holes) for one in BUILDING.corridors if one.floor == floor}
    for (name, a), (other, b) in combinations(areas.items(), 2):
        assert a.intersection(b).area < 1e-6, f"{name} overlaps {other}"


@pytest.mark.parametrize("floor", FLOORS)
def test_together_they_fill_the_slab(floor):
    slab = next(one for one in BUILDING.floors if one.number == floor)
    areas = [*polygons(floor).values()]
    areas += [Polygon(shaft.outline) for shaft in BUILDING.shafts if shaft.floor == floor]
    areas += [Polygon(one.outline, one.holes) for one in BUILDING.corridors if one.floor == floor]
    whole = Polygon(slab.outline, slab.courtyards)
    assert unary_union(areas).symmetric_difference(whole).area < 0.5


def test_every_desk_with_its_chair_and_machine_stands_in_its_room_and_clear_of_the_others():
    rooms = {room.id: Polygon(room.outline) for room in BUILDING.rooms}
    machines = {machine.desk: machine for machine in BUILDING.machines}
    by_room = defaultdict(list)
    for desk in BUILDING.desks:
        shape = Polygon(desk.outline)
        assert rooms[desk.room].contains(shape), desk.id
        assert rooms[desk.room].contains(Point(desk.seat)), desk.id
        assert shape.contains(Point(machines[desk.id].place)), desk.id
        by_room[desk.room].append(shape)
    for shapes in by_room.values():
        assert all(a.intersection(b).area < 1e-6 for a, b in combinations(shapes, 2))


def test_every_door_opens_from_a_corridor_into_its_room():
    areas = {room.id: Polygon(room.outline) for room in BUILDING.rooms}
    areas |= {shaft.id: Polygon(shaft.outline) for shaft in BUILDING.shafts}
    for door in BUILDING.doors:
        corridors = unary_union(
            [Polygon(one.outline, one.holes) for one in BUILDING.corridors if one.floor == door.floor]
        )
        opening = LineString(door.ends)
        assert areas[door.room].exterior.buffer(0.01).contains(opening), door.id
        assert corridors.buffer(0.01).contains(opening), door.id
    assert {door.room for door in BUILDING.doors} == set(areas)


@pytest.mark.parametrize("floor", FLOORS)
def test_no_stretch_of_corridor_is_further_than_15_m_from_one_detector_to_the_next(floor):
    graph = nx.Graph()
    stops = {one.id: one.place for one in BUILDING.detectors if one.floor == floor}
    for name, (start, end) in LINES.items():
        line = LineString([start, end])
        near = {stop: place for stop, place in stops.items() if line.distance(Point(place)) < 0.01}
        along = sorted(
            [*near.items(), (f"{name}a", start), (f"{name}b", end)], key=lambda one: dist(start, one[1])
        )
        for (_, here), (_, there) in pairwise(along):
            graph.add_edge(here, there, metres=dist(here, there))
            assert dist(here, there) <= 15
    assert set(place_detectors(floor)) == {one for one in BUILDING.detectors if one.floor == floor}


@pytest.mark.parametrize("floor", FLOORS)
def test_ways_on_a_floor_stay_inside_the_building(floor):
    slab = next(one for one in BUILDING.floors if one.number == floor)
    whole = Polygon(slab.outline, slab.courtyards).buffer(0.01)
    points = {point.id: point for point in BUILDING.points}
    for segment in BUILDING.segments:
        a, b = points[segment.a], points[segment.b]
        if a.floor == b.floor == floor and "outside" not in (a.kind, b.kind):
            assert whole.contains(LineString([a.place, b.place])), segment


def test_the_committed_files_are_what_the_design_writes():
    for name, text in files(BUILDING).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, (
            f"{name}: run python -m ingest.building.design"
        )


@pytest.mark.parametrize("floor", FLOORS)
def test_a_plan_is_geojson_with_the_properties_of_the_contract(floor):
    plan = json.loads(Path(FOLDER / f"floor-{floor}.geojson").read_text(encoding="utf-8"))
    assert plan["type"] == "FeatureCollection"
    for feature in plan["features"]:
        properties = feature["properties"]
        assert {"kind", "id", "name", "room", "room_kind", "floor"} <= set(properties)
        assert properties["kind"] in KINDS
        assert properties["floor"] == floor
        if feature["geometry"]["type"] == "Polygon":
            assert all(ring[0] == ring[-1] for ring in feature["geometry"]["coordinates"])
    assert {feature["properties"]["kind"] for feature in plan["features"]} >= KINDS - {"entrance"}
