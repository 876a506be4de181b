"""Points and regions of the plane.

    point   =  (x, y)
    region  =  a tuple of rings: an outline, counterclockwise, then its holes, clockwise; again

A region is read from a text, WKT or GeoJSON, of a polygon or several; what is none, or crosses itself,
is NULL. A point on the boundary is inside.
"""

import json
import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import shapely
from shapely.errors import ShapelyError
from shapely.geometry import MultiPolygon, Polygon, shape
from shapely.geometry.polygon import orient

from engine.model.values import Type
from engine.plan.functions.function import named
from engine.plan.signatures import either, takes

BOOLEAN, DOUBLE, POINT, REGION, TEXT = Type.BOOLEAN, Type.DOUBLE, Type.POINT, Type.REGION, Type.TEXT
MOST_CHARACTERS = 1_000_000
KEPT = 512

Point = tuple[float, float]
Ring = tuple[Point, ...]
Region = tuple[Ring, ...]


@lru_cache(maxsize=KEPT)
def region_of(text: str) -> Region | None:
    """Read a polygon, or several that do not meet."""
    if len(text) > MOST_CHARACTERS:
        return None
    try:
        found = _from_geojson(text) if text.lstrip().startswith("{") else shapely.from_wkt(text)
    except (ShapelyError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return None
    polygons = found.geoms if isinstance(found, MultiPolygon) else [found]
    if not all(isinstance(each, Polygon) for each in polygons) or found.is_empty or not found.is_valid:
        return None
    return tuple(_ring(ring) for each in polygons for ring in _rings(orient(each)))


def _from_geojson(text: str) -> Any:
    read = json.loads(text)
    return shape(read["geometry"] if read.get("type") == "Feature" else read)


def _rings(polygon: Polygon) -> list[Any]:
    return [polygon.exterior, *polygon.interiors]


def _ring(ring: Any) -> Ring:
    return tuple([(float(x) + 0.0, float(y) + 0.0) for x, y, *_ in ring.coords])


@lru_cache(maxsize=KEPT)
def shape_of(region: Region) -> MultiPolygon:
    """Return the region as shapely has it, prepared for many questions."""
    polygons: list[tuple[Ring, list[Ring]]] = []
    for ring in region:
        if signed_area(ring) > 0:
            polygons.append((ring, []))
        else:
            polygons[-1][1].append(ring)
    found = MultiPolygon(polygons)
    shapely.prepare(found)
    return found


def signed_area(ring: Ring) -> float:
    return math.fsum(a * d - c * b for (a, b), (c, d) in pairwise(ring)) / 2


def area(region: Region) -> float:
    return math.fsum(map(signed_area, region))


def contains(region: Region, point: Point) -> bool:
    return bool(shapely.intersects_xy(shape_of(region), *point))


def distance(one: Point, other: Point) -> float:
    return math.dist(one, other)


TWO_POINTS = takes(POINT, POINT, result=DOUBLE)
DECLARED = (
    named("point", takes(DOUBLE, DOUBLE, result=POINT), lambda x, y: (x, y), "x and y"),
    named("x", takes(POINT, result=DOUBLE), lambda point: point[0], "a point"),
    named("y", takes(POINT, result=DOUBLE), lambda point: point[1], "a point"),
    named(
        "distance",
        either(TWO_POINTS, takes(DOUBLE, DOUBLE, DOUBLE, DOUBLE, result=DOUBLE)),
        lambda *args: distance(*args) if len(args) == 2 else distance(args[:2], args[2:]),
        "two points, or x, y, x and y",
    ),
    named(
        "within",
        takes(POINT, POINT, DOUBLE, result=BOOLEAN),
        lambda one, other, most: distance(one, other) <= most,
        "two points and a distance",
    ),
    named("region", takes(TEXT, result=REGION), region_of, "a polygon as WKT or GeoJSON"),
    named("contains", takes(REGION, POINT, result=BOOLEAN), contains, "a region and a point"),
    named("area", takes(REGION, result=DOUBLE), area, "a region"),
)
