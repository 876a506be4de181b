"""The building for the browser: its name, its floors from below, their plans as GeoJSON.

Read from a building folder (`building.json`, `floor-*.geojson`, what people placed; a local frame in metres,
x to the right, y up) and sent as it is, compressed, with an entity tag. Plans are written by people and by
tools: what is not a FeatureCollection is said by file name.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from engine.model.errors import SourceError
from ingest.importing.folder import PLACED


class Place(NamedTuple):
    """A room, as the plan has it."""

    id: str
    name: str
    kind: str
    floor: int


class Stand(NamedTuple):
    """A machine's name, and the room in which it stands."""

    name: str
    room: str


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
    def kiosk(self) -> str | None:
        """The routing point where its kiosk stands, unless it has none."""
        said = json.loads(self.body).get("kiosk")
        return str(said["point"]) if isinstance(said, dict) and said.get("point") else None

    @cached_property
    def desks(self) -> Mapping[str, str]:
        """The room of each desk, by its id."""
        return {found["id"]: str(found["room"]) for found in self._drawn("desk")}

    @cached_property
    def places(self) -> Sequence[Place]:
        """The rooms, by floor and number."""
        found = [_place(room) for room in self._drawn("room")]
        return sorted(found, key=lambda place: (place.floor, place.id))

    @cached_property
    def machines(self) -> Mapping[str, Stand]:
        """What each machine is called, and where it stands, by its id."""
        return {
            found["id"]: Stand(str(found.get("name") or found["id"]), str(found.get("room") or ""))
            for found in self._drawn("machine")
        }

    @cached_property
    def described(self) -> Mapping[str, Any]:
        """What building.json says."""
        return {name: value for name, value in json.loads(self.body).items() if name != "plans"}

    def _drawn(self, kind: str) -> Iterator[dict[str, Any]]:
        for plan in json.loads(self.body)["plans"]:
            for feature in plan["features"]:
                properties = feature.get("properties") or {}
                if properties.get("kind") == kind and "id" in properties:
                    yield properties

    @cached_property
    def zipped(self) -> bytes:
        return gzip.compress(self.body, mtime=0)


class BuildingNow:
    """The building of a folder as it was read last; whoever changes the folder has it read again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._read = folder, read_building(folder)

    def read_again(self) -> None:
        self._read = read_building(self.folder)

    @property
    def name(self) -> str:
        return self._read.name

    @property
    def rooms(self) -> Mapping[str, str]:
        return self._read.rooms

    @property
    def desks(self) -> Mapping[str, str]:
        return self._read.desks

    @property
    def kiosk(self) -> str | None:
        return self._read.kiosk

    @property
    def answer(self) -> Building:
        """Return one reading of it, for an answer that has a body and its tag."""
        return self._read

    @property
    def places(self) -> Sequence[Place]:
        return self._read.places

    @property
    def machines(self) -> Mapping[str, Stand]:
        return self._read.machines

    @property
    def described(self) -> Mapping[str, Any]:
        return self._read.described


AnyBuilding = Building | BuildingNow


def _place(room: dict[str, Any]) -> Place:
    kind, floor = str(room.get("room_kind") or "room"), room.get("floor")
    return Place(
        str(room["id"]), str(room.get("name") or room["id"]), kind, floor if type(floor) is int else 0
    )


def read_building(folder: Path) -> Building:
    """Return the building in a folder, or raise what is missing or wrong there."""
    described = _read(folder / "building.json")
    plans = [_plan(path) for path in sorted(folder.glob("floor-*.geojson"))]
    if not plans:
        problem = f"no floor-*.geojson in {folder}; a building has one GeoJSON file per floor"
        raise SourceError(problem)
    put_in(plans, _read(folder / PLACED).get("features", []) if (folder / PLACED).is_file() else [])
    document = {**described, "plans": sorted(plans, key=lambda plan: plan["floor"])}
    body = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    return Building(str(described.get("name", "Building")), body, hashlib.sha256(body).hexdigest()[:20])


def put_in(plans: list[dict[str, Any]], features: list[Any]) -> None:
    """Put what people placed into the plans of its floors."""
    on = {plan["floor"]: plan["features"] for plan in plans}
    for feature in features:
        floor = (feature.get("properties") or {}).get("floor") if isinstance(feature, dict) else None
        if floor in on:
            on[floor].append(feature)


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
