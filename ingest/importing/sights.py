"""Straight ways inside a walkable area: few of them, none through a wall, none much longer than it must be.

    stops, and a point beside each corner that walls make inside     n nodes
    every pair that sees each other                                  the visibility graph, up to n² edges
    by length, each that would shorten a way by a tenth              a greedy spanner, about 2 n edges

In the visibility graph with the corners themselves every shortest way is; the points beside the corners keep
a step away from the wall, and only where they do not connect everything are the corners themselves taken.

References:
    Althöfer, Das, Dobkin, Joseph, Soares. On sparse spanners of weighted graphs. 1993, the greedy algorithm.
    de Berg et al. Computational Geometry, chapter 15: visibility graphs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from ingest.importing.cells import SLACK

Spot = tuple[float, float]
STRETCH = 1.1
ASIDE = (0.45, 0.2)  # metres off a corner
CLEAR = 0.1
MOST_CORNERS = 220
ROUGHER = (0.05, 0.15, 0.4, 1.0, 2.5)


@dataclass(frozen=True)
class Sights:
    """Pairs of nodes to be joined; nodes from ``stops`` on are corners, at these places."""

    corners: tuple[Spot, ...]
    pairs: tuple[tuple[int, int], ...]


def sights(area: Polygon, stops: Sequence[Spot]) -> Sights:
    """Return how stops inside an area are joined by straight ways."""
    if len(stops) < 2:
        return Sights((), ())
    region = area.buffer(SLACK)
    shapely.prepare(region)
    corners = [] if _is_convex(area) else _beside_corners(area)
    pairs = _joined(region, [*stops, *corners])
    if not _is_one(pairs, len(stops), len(stops) + len(corners)):
        corners += _own_corners(area)
        pairs = _joined(region, [*stops, *corners])
    return _without_ends(len(stops), corners, pairs)


def _is_convex(area: Polygon) -> bool:
    return not area.interiors and area.convex_hull.area - area.area < SLACK


def _own_corners(area: Polygon) -> list[Spot]:
    return [(float(x), float(y)) for x, y, _, _ in _reflex(area)]


def _beside_corners(area: Polygon) -> list[Spot]:
    found = []
    for x, y, dx, dy in _reflex(area):
        for far in ASIDE:
            place = (float(x + dx * far), float(y + dy * far))
            point = shapely.Point(place)
            if area.covers(point) and area.boundary.distance(point) >= CLEAR:
                found.append(place)
                break
    return found


def _reflex(area: Polygon) -> np.ndarray:
    """Return the corners at which walls come into the area, each with the direction away from the walls."""
    for rough in ROUGHER:
        plain = area.simplify(rough)
        shape = plain if isinstance(plain, Polygon) and not plain.is_empty else area
        oriented = shapely.orient_polygons(shape)
        rings = [_reflex_of(ring) for ring in (oriented.exterior, *oriented.interiors)]
        found = np.concatenate(rings)
        if len(found) <= MOST_CORNERS:
            break
    return found[:MOST_CORNERS]


def _reflex_of(ring: shapely.LinearRing) -> np.ndarray:
    """Corners of a ring that turn right where the area lies on the left."""
    places = np.asarray(ring.coords)[:-1]
    before, after = places - np.roll(places, 1, axis=0), np.roll(places, -1, axis=0) - places
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    before, after = (side / np.maximum(np.hypot(*side.T), 1e-9)[:, None] for side in (before, after))
    away = before - after
    away /= np.maximum(np.hypot(*away.T), 1e-9)[:, None]
    is_reflex = turn < -1e-6
    return np.hstack([places[is_reflex], away[is_reflex]])


def _joined(region: BaseGeometry, places: Sequence[Spot]) -> list[tuple[int, int]]:
    spots = np.asarray(places, dtype=float)
    first, second = np.triu_indices(len(spots), 1)
    lines = shapely.linestrings(np.stack([spots[first], spots[second]], axis=1))
    seen = shapely.covers(region, lines)
    first, second = first[seen], second[seen]
    lengths = np.hypot(*(spots[first] - spots[second]).T)
    order = np.lexsort((second, first, lengths))
    return _spanner(len(spots), first[order], second[order], lengths[order])


def _spanner(size: int, first: np.ndarray, second: np.ndarray, lengths: np.ndarray) -> list[tuple[int, int]]:
    """Take each edge, the shortest first, that is not nearly there by those taken."""
    far = np.full((size, size), np.inf)
    np.fill_diagonal(far, 0.0)
    taken = []
    for a, b, length in zip(first.tolist(), second.tolist(), lengths.tolist(), strict=True):
        if far[a, b] > STRETCH * length:
            taken.append((a, b))
            over = far[:, a, None] + (length + far[None, b, :])
            np.minimum(far, over, out=far)
            np.minimum(far, over.T, out=far)
    return taken


def _is_one(pairs: Sequence[tuple[int, int]], stops: int, size: int) -> bool:
    """Tell whether all stops are connected."""
    root = list(range(size))

    def of(node: int) -> int:
        while root[node] != node:
            root[node] = node = root[root[node]]
        return node

    for a, b in pairs:
        root[of(a)] = of(b)
    return len({of(stop) for stop in range(stops)}) == 1


def _without_ends(stops: int, corners: Sequence[Spot], pairs: list[tuple[int, int]]) -> Sights:
    """Drop the corners that lead nowhere, and number what is left."""
    while True:
        degree = np.bincount(np.asarray(pairs, dtype=int).ravel(), minlength=stops + len(corners))
        ends = {node for node in range(stops, stops + len(corners)) if degree[node] == 1}
        if not ends:
            break
        pairs = [pair for pair in pairs if not ends.intersection(pair)]
    kept = [node for node in range(stops, stops + len(corners)) if degree[node] > 1]
    number = {**{stop: stop for stop in range(stops)}, **{node: stops + at for at, node in enumerate(kept)}}
    spots = tuple(corners[node - stops] for node in kept)
    return Sights(spots, tuple((number[a], number[b]) for a, b in pairs))
