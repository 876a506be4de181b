"""The whole of an import, from bytes to what a building folder holds; nothing is written here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.model.errors import SourceError
from ingest.importing.drawing import Plan, plans
from ingest.importing.elements import Slab
from ingest.importing.frame import Frame, Unit, frame_of
from ingest.importing.laying import Laid, lay
from ingest.importing.levels import Level, floors_of, written
from ingest.importing.reading import File, clean, read_features
from ingest.importing.report import Report, report_of
from ingest.importing.rows import Facts, facts_of
from ingest.importing.sorting import sort
from ingest.importing.tags import RULES
from ingest.importing.walking import door_point


@dataclass(frozen=True)
class Imported:
    """``summary`` is building.json, ``plans`` are the floors' plans."""

    summary: dict[str, Any]
    plans: Mapping[int, Plan]
    facts: Facts
    report: Report


def import_building(body: bytes, file: str, name: str | None = None, unit: Unit = "auto") -> Imported:
    """Return the building that a file describes, or raise why there is none in it."""
    read = read_features(body, file)
    inside = [feature for feature in read.features if _is_inside(feature.tags)]
    if not inside:
        raise SourceError(_nothing(read, file))
    frame = frame_of([feature.shape for feature in inside], unit)
    found = sort(read.features, frame)
    elements = found.elements()
    laid = lay(elements)
    if not any(storey.cells for storey in laid.storeys.values()):
        raise SourceError(_nothing(read, file, found.skipped[0].reason if found.skipped else ""))
    floors = floors_of(set(laid.storeys))
    called = clean(name or "") or _name(read) or file.rpartition("/")[2].partition(".")[0]
    summary = _summary(called, frame, floors, elements.slabs, laid)
    report = report_of(called, _size(frame), found, read.unread, laid)
    return Imported(
        summary, plans(laid, elements, floors, frame.as_document()), facts_of(laid, floors), report
    )


def _is_inside(tags: Mapping[str, str]) -> bool:
    """Tell whether a feature may be a part of a building's inside, of whatever form it is."""
    return ("level" in tags or "repeat_on" in tags) and any(
        holds(tags) for rules in RULES.values() for _, holds in rules
    )


def _nothing(read: File, file: str, reason: str = "") -> str:
    first = reason or (
        read.unread[0].reason if read.unread else "no feature has both level=* and such as indoor=room"
    )
    return (
        f"{file} has no indoor areas among its {len(read.features) + len(read.unread):,} features ({first}); "
        "expected Simple Indoor Tagging: polygons with indoor=room, area or corridor and level=*"
    )


def _name(read: File) -> str:
    told = read.members.get("name")
    if isinstance(told, str) and clean(told):
        return clean(told)
    buildings = (f.tags.get("name", "") for f in read.features if f.tags.get("building", "no") != "no")
    return next((name for name in buildings if name), "")


def _size(frame: Frame) -> tuple[float, float]:
    return (round(frame.size[0], 1), round(frame.size[1], 1))


def _summary(
    name: str, frame: Frame, floors: Mapping[Level, int], slabs: tuple[Slab, ...], laid: Laid
) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "frame": frame.as_document()}
    found["floors"] = [_floor(level, number, slabs) for level, number in floors.items()]
    kiosk = _kiosk(laid, floors)
    return {**found, "kiosk": kiosk} if kiosk else found


def _floor(level: Level, number: int, slabs: tuple[Slab, ...]) -> dict[str, Any]:
    tags = next((slab.tags for slab in slabs if slab.level == level), {})
    text = written(level)
    called = tags.get("name") or (f"Level {tags['level:ref']}" if tags.get("level:ref") else f"Level {text}")
    short = tags.get("level:ref") or text
    return {
        "floor": number,
        "label": called,
        "short": short[:6],
        "level": text,
        "plan": f"floor-{number}.geojson",
    }


def _kiosk(laid: Laid, floors: Mapping[Level, int]) -> dict[str, Any] | None:
    """Return a first place for a kiosk: the main entrance, else the first in order."""
    ways_in = sorted(
        laid.entrances, key=lambda each: (each.door.tags.get("entrance") != "main", each.door.id)
    )
    if not ways_in or ways_in[0].door.level is None:
        return None
    door = ways_in[0].door
    point = laid.net.points[door_point(door.id)]
    return {"point": point.id, "floor": floors[point.level], "x": point.place[0], "y": point.place[1]}
