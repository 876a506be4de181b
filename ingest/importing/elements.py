"""What a file of a building is made of, each thing on one level; shapes are in the building's metres."""

from dataclasses import dataclass
from typing import Literal

from shapely import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from ingest.importing.levels import Level
from ingest.importing.reading import Tags

SpaceKind = Literal["room", "corridor", "stairs", "elevator", "ramp"]
Way = Literal["corridor", "stairs", "elevator", "ramp"]
SHAFTS = ("stairs", "elevator", "ramp")


@dataclass(frozen=True)
class Space:
    """A walkable area on one level; one that is ``walled`` is entered by doors only.

    ``well`` is the same for the storeys of one staircase or elevator, and empty for what joins no levels.
    """

    id: str
    source: str
    kind: SpaceKind
    level: Level
    shape: Polygon
    tags: Tags
    walled: bool
    well: str = ""

    @property
    def name(self) -> str:
        own = self.id if self.kind == "room" else f"{self.kind} {self.id}"
        return self.tags.get("name") or self.tags.get("ref") or own

    @property
    def is_private(self) -> bool:
        return self.tags.get("access") in PRIVATE


PRIVATE = ("private", "no", "employees", "staff")


@dataclass(frozen=True)
class Door:
    """A door or an entrance on one level; on none as long as its walls are to say which."""

    id: str
    source: str
    level: Level | None
    place: Point
    tags: Tags

    @property
    def is_entrance(self) -> bool:
        return self.tags.get("entrance", "no") != "no"

    @property
    def is_private(self) -> bool:
        return self.tags.get("access") in PRIVATE


@dataclass(frozen=True)
class Line:
    """A way that is drawn as a line, or an elevator as a point, over the levels it is on, the lowest first.

    ``goes_up`` tells whether its beginning is on the lowest level; None where the file does not say.
    """

    id: str
    source: str
    way: Way
    levels: tuple[Level, ...]
    shape: LineString | Point
    goes_up: bool | None
    tags: Tags


@dataclass(frozen=True)
class Wall:
    """What nobody walks through."""

    source: str
    level: Level
    shape: BaseGeometry
    tags: Tags


@dataclass(frozen=True)
class Slab:
    """The outline of a level, and what the level is called."""

    source: str
    level: Level
    shape: Polygon
    tags: Tags


@dataclass(frozen=True)
class Elements:
    """All that a file has and that is used."""

    spaces: tuple[Space, ...]
    doors: tuple[Door, ...]
    lines: tuple[Line, ...]
    walls: tuple[Wall, ...]
    slabs: tuple[Slab, ...]
