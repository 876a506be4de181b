"""The building for the browser: its name, its floors from below, their plans as GeoJSON.

Read once from a building folder (`building.json`, `floor-*.geojson`; a local frame in metres, x to the
right, y up) and sent as it is, compressed, with an entity tag. Plans are written by people and by tools:
what is not a FeatureCollection is said by file name.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.model.errors import SourceError


@dataclass(frozen=True)
class Building:
    """A building folder as one JSON document."""

    name: str
    body: bytes
    etag: str

    @cached_property
    def rooms(self) -> Mapping[str, str]:
        """The name of each room, by its id."""
        return {found["id"]: str(found.get("name") or found["id"]) for found in self._drawn("room")}

    @cached_property
    def desks(self) -> Mapping[str, str]:
        """The room of each desk, by its id."""
        return {found["id"]: str(found["room"]) for found in self._drawn("desk")}

    def _drawn(self, kind: str) -> Iterator[dict[str, Any]]:
        for plan in json.loads(self.body)["plans"]:
            for feature in plan["features"]:
                properties = feature.get("properties") or {}
                if properties.get("kind") == kind and "id" in properties:
                    yield properties

    @property
    def zipped(self) -> bytes:
        return gzip.compress(self.body, mtime=0)


def read_building(folder: Path) -> Building:
    """Return the building in a folder, or raise what is missing or wrong there."""
    described = _read(folder / "building.json")
    plans = [_plan(path) for path in sorted(folder.glob("floor-*.geojson"))]
    if not plans:
        problem = f"no floor-*.geojson in {folder}; a building has one GeoJSON file per floor"
        raise SourceError(problem)
    document = {**described, "plans": sorted(plans, key=lambda plan: plan["floor"])}
    body = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    return Building(str(described.get("name", "Building")), body, hashlib.sha256(body).hexdigest()[:20])


def _plan(path: Path) -> dict[str, Any]:
    number = path.stem.removeprefix("floor-")
    found = _read(path)
    if found.get("type") != "FeatureCollection" or not number.lstrip("-").isdigit():
        problem = f"{path} is not a floor plan: expected a FeatureCollection in a file named floor-<number>"
        raise SourceError(problem)
    return {"floor": int(number), "features": found.get("features", [])}


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        problem = f"{path} is missing; SMARTCIS_BUILDING names the building folder"
        raise SourceError(problem) from error
    except ValueError as error:
        problem = f"{path} is not JSON: {error}"
        raise SourceError(problem) from error
    return found if isinstance(found, dict) else {}
