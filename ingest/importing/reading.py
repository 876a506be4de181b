"""From bytes to features: what is no GeoJSON is one error, what is wrong with a feature is said of it.

A feature's name is what the file calls it: ``@id`` or ``id`` ("way/123"), else a digest of tags and geometry,
so that an import of the same file gives the same names.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import shapely
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from engine.model.errors import SourceError

MOST_BYTES = 50_000_000
MOST_FEATURES = 50_000
MOST_CORNERS = 20_000  # of one feature
MOST_TEXT = 200
KINDS = ("Point", "LineString", "Polygon", "MultiPolygon")
Tags = Mapping[str, str]


@dataclass(frozen=True)
class Feature:
    """One feature as it stands in the file; ``source`` is its name there."""

    source: str
    tags: Tags
    shape: BaseGeometry


@dataclass(frozen=True)
class Unread:
    """A feature, or a part of one, that was left out, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class File:
    """What a file has; ``members`` are the other members of its FeatureCollection."""

    features: tuple[Feature, ...]
    unread: tuple[Unread, ...]
    members: Mapping[str, Any]


def read_features(body: bytes, name: str) -> File:
    """Return what a file has, or raise why it is no GeoJSON."""
    document = _parsed(body, name)
    features, unread = [], []
    for number, found in enumerate(document["features"], start=1):
        try:
            features.append(_feature(found))
        except _UnreadError as problem:
            unread.append(Unread(_called(found) or f"feature {number}", str(problem)))
    members = {key: value for key, value in document.items() if key not in ("features", "type")}
    return File(tuple(_told_apart(features)), tuple(unread), members)


class _UnreadError(Exception):
    """Why a feature is not read."""


def _parsed(body: bytes, name: str) -> dict[str, Any]:
    if len(body) > MOST_BYTES:
        raise _no_geojson(name, f"it has {len(body):,} bytes; at most {MOST_BYTES:,} are read")
    try:
        document = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _no_geojson(name, f"it is no UTF-8 text at byte {error.start}") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _no_geojson(name, f"it is no JSON: {error.msg} at {where}") from error
    except RecursionError as error:
        raise _no_geojson(name, "its JSON is nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise _no_geojson(name, f"it is no JSON: {error}") from error
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection":
        found = document.get("type") if isinstance(document, dict) else type(document).__name__
        raise _no_geojson(name, f"it is {found!r:.40}; expected a FeatureCollection")
    features = document.get("features")
    if not isinstance(features, list) or not features:
        raise _no_geojson(name, "it has no features")
    if len(features) > MOST_FEATURES:
        problem = (
            f"it has {len(features):,} features; at most {MOST_FEATURES:,} are read: cut out one building"
        )
        raise _no_geojson(name, problem)
    return document


def _no_geojson(name: str, problem: str) -> SourceError:
    return SourceError(f"{name} cannot be imported: {problem}")


def _feature(found: Any) -> Feature:
    if not isinstance(found, dict) or found.get("type") != "Feature":
        message = "it is no Feature"
        raise _UnreadError(message)
    tags = _tags(found.get("properties"))
    geometry = _geometry(found.get("geometry"))
    return Feature(_called(found) or _digest(tags, geometry), tags, geometry)


def _called(found: Any) -> str | None:
    """Return the name that the file gives a feature."""
    if not isinstance(found, dict):
        return None
    properties = found.get("properties")
    inside = properties if isinstance(properties, dict) else {}
    for name in (inside.get("@id"), found.get("id"), inside.get("id")):
        if isinstance(name, str | int) and not isinstance(name, bool) and str(name).strip():
            return clean(str(name))
    return None


def _tags(properties: Any) -> dict[str, str]:
    """Return the tags as texts; what is written by tools beside them has an @ before its name."""
    found = properties if isinstance(properties, dict) else {}
    nested = found.get("tags")  # osm2geojson has them there
    pairs = {**found, **nested} if isinstance(nested, dict) else found
    return {
        clean(str(key)): clean(_plain(value))
        for key, value in pairs.items()
        if not str(key).startswith("@") and key != "id" and isinstance(value, str | int | float | bool)
    }


def _plain(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def clean(text: str) -> str:
    """Return a text without what cannot be seen, and not too long."""
    seen = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * MOST_TEXT])
    return " ".join(seen.split())[:MOST_TEXT]


def _geometry(found: Any) -> BaseGeometry:
    kind = found.get("type") if isinstance(found, dict) else None
    if kind not in KINDS:
        message = f"it has no geometry of {', '.join(KINDS)}: found {kind!r:.40}"
        raise _UnreadError(message)
    corners = 0
    for corner in _corners(found.get("coordinates")):
        corners += 1
        if not all(math.isfinite(number) for number in corner):
            message = "broken geometry: a coordinate is not a finite number"
            raise _UnreadError(message)
    if not 0 < corners <= MOST_CORNERS:
        message = f"broken geometry: {corners:,} corners; expected 1 to {MOST_CORNERS:,}"
        raise _UnreadError(message)
    try:
        return shapely.force_2d(shape(found))
    except (ValueError, TypeError, IndexError, AttributeError, shapely.errors.ShapelyError) as error:
        message = f"broken geometry: {clean(str(error))}"
        raise _UnreadError(message) from error


def _corners(found: Any) -> Iterator[list[float]]:
    if not isinstance(found, list):
        message = "broken geometry: coordinates are no lists of numbers"
        raise _UnreadError(message)
    if found and not isinstance(found[0], list):
        if len(found) < 2 or not all(type(number) in (int, float) for number in found):
            message = "broken geometry: a place is not two numbers"
            raise _UnreadError(message)
        yield [float(number) if abs(number) < 1e15 else math.inf for number in found]
        return
    for each in found:
        yield from _corners(each)


def _digest(tags: Tags, geometry: BaseGeometry) -> str:
    text = json.dumps(sorted(tags.items())) + shapely.to_wkt(geometry, rounding_precision=7)
    return f"feature-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _told_apart(features: list[Feature]) -> Iterator[Feature]:
    """Give features of one name a number each, in the order of the file."""
    seen: dict[str, int] = {}
    for feature in features:
        times = seen[feature.source] = seen.get(feature.source, 0) + 1
        yield feature if times == 1 else Feature(f"{feature.source}~{times}", feature.tags, feature.shape)
