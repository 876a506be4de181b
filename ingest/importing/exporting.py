"""A building back as GeoJSON in Simple Indoor Tagging: what was imported, under its own names, and placed.

An imported feature comes out once, however many levels it is on, with the tags that were used and where it
was. A plan that was not imported is tagged by the kinds of its features.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import shapely
from shapely.geometry import mapping, shape
from shapely.geometry.base import BaseGeometry

from ingest.importing.frame import Frame, frame_from

AS_TAGS: Mapping[str, Mapping[str, str]] = {
    "room": {"indoor": "room"},
    "corridor": {"indoor": "corridor"},
    "stairs": {"indoor": "room", "stairs": "yes"},
    "elevator": {"indoor": "room", "highway": "elevator"},
    "floor": {"indoor": "level"},
    "wall": {"indoor": "wall"},
    "door": {"door": "yes"},
    "desk": {"furniture": "desk"},
    "entrance": {"entrance": "yes"},
}
Document = dict[str, Any]


def export_building(document: Mapping[str, Any]) -> str:
    """Return a building, as the map reads it, as a text of GeoJSON."""
    frame = frame_from(document.get("frame") or {})
    levels = {floor["floor"]: str(floor.get("level", floor["floor"])) for floor in document.get("floors", ())}
    features = [*_imported(document, frame), *_drawn(document, frame, levels)]
    lines = ",\n".join(json.dumps(feature, ensure_ascii=False) for feature in features)
    head = json.dumps(
        {"type": "FeatureCollection", "name": document.get("name", "Building")}, ensure_ascii=False
    )
    return f'{head[:-1]}, "features": [\n{lines}\n]}}\n'


def _features(document: Mapping[str, Any]) -> Iterator[tuple[int, Document, BaseGeometry]]:
    for plan in document["plans"]:
        for feature in plan["features"]:
            yield plan["floor"], feature.get("properties") or {}, shape(feature["geometry"])


def _imported(document: Mapping[str, Any], frame: Frame) -> Iterator[Document]:
    """Yield what has a source, each source once; shapes that it has several of are its parts."""
    tags: dict[str, Document] = {}
    shapes: dict[str, dict[bytes, BaseGeometry]] = {}
    for _, told, found in _features(document):
        if told.get("source"):
            drawn = _as_point(found) if told["kind"] == "door" else found
            tags.setdefault(told["source"], told.get("tags") or {})
            shapes.setdefault(told["source"], {}).setdefault(shapely.to_wkb(drawn), drawn)
    for source, parts in shapes.items():
        yield _feature(source, tags[source], frame.to_file(_whole(list(parts.values()))))


def _whole(parts: list[BaseGeometry]) -> BaseGeometry:
    if len(parts) == 1 or not all(part.geom_type == "Polygon" for part in parts):
        return parts[0]
    return shapely.multipolygons(parts)


def _drawn(document: Mapping[str, Any], frame: Frame, levels: Mapping[int, str]) -> Iterator[Document]:
    """Yield what has none: what was placed, or all of a plan that was not imported."""
    has_sources = any(told.get("source") for _, told, _ in _features(document))
    for floor, told, found in _features(document):
        kind = str(told.get("kind"))
        if told.get("source") or kind not in AS_TAGS or (has_sources and kind in ("entrance", "floor")):
            continue
        drawn = _as_point(found) if kind == "door" else found
        tags = {**AS_TAGS[kind], "level": levels.get(floor, str(floor)), **dict(_naming(told, kind))}
        yield _feature(f"{kind}/{told.get('id')}@{floor}", tags, frame.to_file(drawn))


def _naming(told: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    if kind in ("room", "desk"):
        yield "ref", str(told["id"])
    if kind in ("room", "corridor", "stairs", "elevator", "entrance") and told.get("name"):
        yield "name", str(told["name"])
    if told.get("room_kind") and kind == "room":
        yield "room", str(told["room_kind"])


def _as_point(found: BaseGeometry) -> BaseGeometry:
    middle = found.interpolate(0.5, normalized=True) if found.geom_type == "LineString" else found.centroid
    return shapely.set_precision(middle, 0.001)


def _feature(source: str, tags: Mapping[str, str], drawn: BaseGeometry) -> Document:
    return {"type": "Feature", "id": source, "properties": dict(tags), "geometry": mapping(drawn)}
