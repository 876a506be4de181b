"""Whether a building folder is sound: every row leads to rows that are there, and every room to an entrance.

What it finds is told of the folder as it is, so also after somebody edited it by hand. Of a building whose
facts are in a database of their own, only plans are looked at.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.importing.folder import is_imported
from ingest.importing.seeding import rows_of_folder

STEPS = ("stairs",)
MOST = 20
Rows = Mapping[str, list[dict[str, Any]]]
REFERENCES = (
    ("rooms", "point", "routing_points", "point"),
    ("routing_segments", "a", "routing_points", "point"),
    ("routing_segments", "b", "routing_points", "point"),
    ("entrances", "point", "routing_points", "point"),
    ("desks", "room", "rooms", "room"),
    ("desks", "point", "routing_points", "point"),
    ("machines", "desk", "desks", "desk"),
    ("outlines", "room", "rooms", "room"),
)
KEYS = {"rooms": "room", "routing_points": "point", "routing_segments": "segment", "entrances": "entrance"}


def check_folder(folder: Path, document: Mapping[str, Any]) -> list[str]:
    """Return what is wrong; ``document`` is the building as the map reads it."""
    found = [*_of_plans(document)]
    if is_imported(folder):
        rows = rows_of_folder(folder)
        found += [*_of_rows(rows), *_of_floors(rows, document), *_of_ways(rows)]
    return found


def _of_plans(document: Mapping[str, Any]) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for plan in document["plans"]:
        for feature in plan["features"]:
            told = feature.get("properties") or {}
            name = (str(told.get("kind")), str(told.get("id")))
            if name in seen and name[0] in ("room", "desk", "machine"):
                yield f"two {name[0]}s are called {name[1]}; rename one"
            seen.add(name)


def _of_rows(rows: Rows) -> Iterator[str]:
    for table, key in KEYS.items():
        names = [row[key] for row in rows[table]]
        for name in (
            sorted({each for each in names if names.count(each) > 1})[:MOST]
            if len(set(names)) < len(names)
            else ()
        ):
            yield f"{table} has {name} twice"
    for table, column, there, key in REFERENCES:
        known = {row[key] for row in rows[there]}
        lost = [row[column] for row in rows[table] if row[column] not in known]
        yield from (f"{table} names {column} {name}, which {there} does not have" for name in lost[:MOST])


def _of_floors(rows: Rows, document: Mapping[str, Any]) -> Iterator[str]:
    floors = {plan["floor"] for plan in document["plans"]}
    for floor in sorted({row["floor"] for row in rows["routing_points"]} - floors):
        yield f"routing points are on floor {floor}, of which there is no floor-{floor}.geojson"


def _of_ways(rows: Rows) -> Iterator[str]:
    lost = unreached(rows, rows["routing_segments"], [row["point"] for row in rows["entrances"]])
    level = [row for row in rows["routing_segments"] if row["way"] not in STEPS]
    steps = unreached(rows, level, [row["point"] for row in rows["entrances"] if row["step_free"]])
    for name in lost[:MOST]:
        yield f"no way leads from an entrance to room {name}"
    if len(lost) > MOST:
        yield f"nor to {len(lost) - MOST} more rooms"
    count = len(set(steps) - set(lost))
    if count:
        yield f"no way without steps leads to {count} rooms that others reach"


def unreached(rows: Rows, segments: Iterable[Mapping[str, Any]], starts: Iterable[str]) -> list[str]:
    """Return the rooms that segments do not connect with the starts."""
    beside: dict[str, list[str]] = {}
    for row in segments:
        beside.setdefault(row["a"], []).append(row["b"])
        beside.setdefault(row["b"], []).append(row["a"])
    reached, ahead = set(), list(starts)
    while ahead:
        point = ahead.pop()
        if point not in reached:
            reached.add(point)
            ahead += beside.get(point, [])
    return sorted(row["room"] for row in rows["rooms"] if row["point"] not in reached)
