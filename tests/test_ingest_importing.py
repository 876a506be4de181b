"""A building of one's own: what becomes of Simple Indoor Tagging, and that every way in it can be walked."""

import json
import time
from contextlib import suppress
from functools import cache
from typing import Any

import networkx as nx
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.errors import SourceError
from ingest.importing.exporting import export_building
from ingest.importing.importer import Imported, import_building
from ingest.importing.levels import LevelError, floors_of, levels_of, written
from ingest.importing.sights import sights
from tests.osm_buildings import HOSTILE, clinic, station

SECONDS = 10.0
LOST_IN_CLINIC = {
    "2.001": "it has no door",
    "2.002": "near it node/",
    "2.003": "all its doors are closed to visitors: node/",
    "2.005": "closed to visitors: access=private",
    "2.006": "the only way leads through what is closed to visitors",
    "bow": "it has no door",
    "shelf@1": "it has no door",
    "shelf@2": "it has no door",
    "bow.2": "it has no door",
}
LOST_IN_STATION = {"store": "it has no door", "tower": "its level 7 is not connected"}


@cache
def imported(name: str) -> Imported:
    document = {"clinic": clinic, "station": station}[name]()
    return import_building(json.dumps(document).encode(), f"{name}.geojson")


def graph(found: Imported, step_free: bool = False) -> nx.Graph:
    made = nx.Graph()
    made.add_nodes_from(row["point"] for row in found.facts["routing_points"])
    for row in found.facts["routing_segments"]:
        if not (step_free and row["way"] == "stairs"):
            made.add_edge(row["a"], row["b"], weight=row["metres"], way=row["way"])
    return made


def unreached(found: Imported, step_free: bool) -> set[str]:
    ways = graph(found, step_free)
    starts = [e["point"] for e in found.facts["entrances"] if e["step_free"] or not step_free]
    reached = set().union(*(nx.node_connected_component(ways, start) for start in starts))
    return {row["room"] for row in found.facts["rooms"] if row["point"] not in reached}


def test_four_hundred_rooms_are_imported_in_ten_seconds() -> None:
    body = json.dumps(clinic()).encode()
    began, used = time.monotonic(), time.process_time()
    found = import_building(body, "clinic.geojson")
    took = min(time.monotonic() - began, time.process_time() - used)
    assert found.report.counts["rooms"] >= 400
    assert found.report.levels == ("-1", "0", "1", "2", "3")
    assert took < SECONDS


@pytest.mark.parametrize(("name", "lost"), [("clinic", LOST_IN_CLINIC), ("station", LOST_IN_STATION)])
def test_every_room_that_no_way_leads_to_is_explained(name: str, lost: dict[str, str]) -> None:
    found = imported(name)
    told = {each.room: each.reason for each in found.report.unreachable}
    assert told.keys() == unreached(found, step_free=False)
    assert told.keys() == lost.keys()
    for room, reason in lost.items():
        assert reason in told[room], (room, told[room])


@pytest.mark.parametrize("name", ["clinic", "station"])
def test_what_is_reached_without_steps_is_what_an_oracle_finds(name: str) -> None:
    found = imported(name)
    told = {each.room for each in (*found.report.unreachable, *found.report.not_step_free)}
    assert told == unreached(found, step_free=True)


def test_a_way_without_steps_crosses_no_steps() -> None:
    found = imported("clinic")
    ways, rows = graph(found, step_free=True), {row["room"]: row for row in found.facts["rooms"]}
    steps = [
        (feature["properties"]["floor"], shapely.geometry.shape(feature["geometry"]))
        for plan in found.plans.values()
        for feature in plan["features"]
        if feature["properties"]["kind"] == "stairs"
    ]
    points = {row["point"]: row for row in found.facts["routing_points"]}
    start = next(e["point"] for e in found.facts["entrances"] if e["step_free"])
    for room in ("3.319", "-1.000", "2.310"):
        path = nx.shortest_path(ways, start, rows[room]["point"], weight="weight")
        kinds = {ways.edges[pair]["way"] for pair in nx.utils.pairwise(path)}
        assert "elevator" in kinds
        for a, b in nx.utils.pairwise(path):
            line = shapely.LineString([(points[p]["x"], points[p]["y"]) for p in (a, b)])
            on = {points[a]["floor"], points[b]["floor"]}
            assert all(floor not in on or not line.crosses(shape.buffer(-0.1)) for floor, shape in steps)


@pytest.mark.parametrize("name", ["clinic", "station"])
def test_no_way_goes_through_a_wall(name: str) -> None:
    """Whatever enters or leaves a room does so within a step of one of its doors."""
    found = imported(name)
    points = {row["point"]: row for row in found.facts["routing_points"]}
    doors = [points[p] for p in points if points[p]["kind"] in ("door", "entrance")]
    for floor in found.plans:
        gaps = shapely.union_all(
            [shapely.Point(p["x"], p["y"]).buffer(0.1) for p in doors if p["floor"] == floor]
        )
        walls = shapely.STRtree(
            [shapely.geometry.shape(f["geometry"]).boundary for f in found.plans[floor]["features"]
             if f["properties"]["kind"] == "room" and f["properties"]["tags"].get("indoor") == "room"]
        )  # fmt: skip
        for row in found.facts["routing_segments"]:
            a, b = points[row["a"]], points[row["b"]]
            if a["floor"] == b["floor"] == floor:
                line = shapely.LineString([(a["x"], a["y"]), (b["x"], b["y"])]).difference(gaps)
                for index in walls.query(line, predicate="crosses"):
                    hit = walls.geometries[index].intersection(line)
                    assert hit.distance(gaps) < 0.1, row


def test_names_are_the_same_in_each_import() -> None:
    again = import_building(json.dumps(station()).encode(), "station.geojson")
    assert again.facts == imported("station").facts


def test_half_levels_are_floors_in_their_order() -> None:
    floors = [(each["floor"], each["level"], each["short"]) for each in imported("station").summary["floors"]]
    assert floors == [(-1, "-1", "-1"), (0, "0", "0"), (1, "0.5", "0.5"), (2, "1", "1"), (3, "7", "7")]


def test_what_was_left_out_is_said_with_its_reason() -> None:
    said = {each.source: each.reason for each in imported("clinic").report.skipped}
    reasons = "\n".join(said.values())
    for part in (
        "no level: ",
        "'ground' names no level",
        "not a finite number",
        "no tag that says what it is",
    ):
        assert part in reasons
    forward = [each.reason for each in imported("station").report.skipped]
    assert any("conveying=forward" in reason for reason in forward)
    noted = [each.reason for each in imported("station").report.notes]
    assert any("through a wall" in reason for reason in noted)


def test_what_was_imported_comes_out_under_its_own_names_and_in_again() -> None:
    found = imported("clinic")
    document = {
        **found.summary,
        "plans": [{"floor": f, "features": p["features"]} for f, p in found.plans.items()],
    }
    exported = export_building(json.loads(json.dumps(document)))
    before = {feature["id"]: feature for feature in clinic()["features"]}
    for feature in json.loads(exported)["features"]:
        if feature["id"] in before:
            tags = before[feature["id"]]["properties"]
            assert feature["properties"] == {key: tags[key] for key in feature["properties"]}
            assert {"level", "repeat_on", "indoor", "ref"} & tags.keys() <= feature["properties"].keys()
    again = import_building(exported.encode(), "again.geojson")
    assert [(r["room"], r["floor"], r["name"]) for r in again.facts["rooms"]] == [
        (r["room"], r["floor"], r["name"]) for r in found.facts["rooms"]
    ]
    assert {e.room for e in again.report.unreachable} == LOST_IN_CLINIC.keys()


def test_a_name_is_a_text_and_nothing_else() -> None:
    assert HOSTILE in {row["name"] for row in imported("clinic").facts["rooms"]}
    assert all(sign.isprintable() for sign in imported("clinic").report.as_text().replace("\n", ""))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "it is no JSON"),
        (b"\xff\xfe", "it is no UTF-8 text"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"type": "Feature"}', "expected a FeatureCollection"),
        (b'{"type": "FeatureCollection", "features": []}', "it has no features"),
        (b'{"type": "FeatureCollection", "features": [1, null, {"type": "Feature"}]}', "no indoor areas"),
        (b"{" + b" " * 50_000_001, "at most 50,000,000"),
    ],
)
def test_what_is_no_building_is_one_message(body: bytes, problem: str) -> None:
    with pytest.raises(SourceError) as told:
        import_building(body, "hostile.geojson")
    assert problem in told.value.message
    assert len(told.value.message) < 500


BROKEN: list[Any] = [
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]},
    {"type": "Polygon", "coordinates": "none"},
    {"type": "Polygon", "coordinates": [[["a", "b"]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [0, 0], [0, 0], [0, 0]]]},
    {"type": "LineString", "coordinates": [[0, 0]]},
    {"type": "Point", "coordinates": [1e300, 0]},
    {"type": "GeometryCollection", "geometries": []},
    None,
]


@pytest.mark.parametrize("geometry", BROKEN)
def test_a_broken_feature_is_a_line_of_the_report(geometry: Any) -> None:
    document = station()
    bad = {
        "type": "Feature",
        "id": "way/bad",
        "properties": {"indoor": "room", "level": "0"},
        "geometry": geometry,
    }
    document["features"].insert(0, bad)
    found = import_building(json.dumps(document).encode(), "station.geojson")
    assert [each.source for each in found.report.skipped].count("way/bad") == 1
    assert found.facts == imported("station").facts


RELAXED = settings(deadline=None)
decimals = st.integers(-40, 60).map(lambda n: n / 2)


def text_of(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


@RELAXED
@given(st.lists(decimals, min_size=1, max_size=6))
def test_a_list_of_levels_names_these_levels(numbers: list[float]) -> None:
    assert [float(x) for x in levels_of(";".join(map(text_of, numbers)))] == sorted(set(numbers))


@RELAXED
@given(decimals, decimals)
def test_a_range_has_its_ends_and_steps_of_one(low: float, high: float) -> None:
    low, high = sorted((low, high))
    found = [float(x) for x in levels_of(f"{text_of(low)}-{text_of(high)}")]
    assert found[0] == low
    assert found[-1] == high
    assert all(0 < b - a <= 1 for a, b in nx.utils.pairwise(found))
    assert levels_of(";".join(written(x) for x in levels_of(f"{text_of(low)}-{text_of(high)}")))


@RELAXED
@given(st.text(max_size=12))
def test_any_text_names_levels_or_is_refused(text: str) -> None:
    found = None
    with suppress(LevelError):
        found = levels_of(text)
    numbers = list(floors_of(set(found or ())).values())
    assert numbers == sorted(numbers)


@RELAXED
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8, unique=True))
def test_stops_in_a_bent_area_are_joined_inside_it(stops: list[tuple[int, int]]) -> None:
    bent = shapely.Polygon([(0, 0), (9, 0), (9, 9), (6, 9), (6, 3), (3, 3), (3, 9), (0, 9)])
    inside = [stop for stop in stops if bent.covers(shapely.Point(stop))]
    found = sights(bent, inside)
    spots = [*inside, *found.corners]
    ways = nx.Graph(found.pairs)
    ways.add_nodes_from(range(len(inside)))
    assert len(inside) < 2 or nx.is_connected(ways)
    for a, b in found.pairs:
        assert bent.buffer(0.03).covers(shapely.LineString([spots[a], spots[b]]))
