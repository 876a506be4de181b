"""Routing points and segments as they are laid; their names are the same in each import."""

from dataclasses import dataclass
from math import dist
from typing import Literal

from ingest.importing.elements import Space, Way
from ingest.importing.levels import Level

PointKind = Literal["room", "corridor", "door", "entrance", "stairs", "elevator", "ramp"]
WayKind = Literal["corridor", "door", "stairs", "elevator", "ramp"]
METRES_A_SECOND: dict[str, float] = {
    "corridor": 1.3, "door": 1.0, "ramp": 1.0, "stairs": 0.6, "elevator": 1.0,
}  # fmt: skip
STOREY: dict[str, tuple[float, float]] = {
    "stairs": (12.0, 20.0),
    "elevator": (4.0, 20.0),
    "ramp": (30.0, 30.0),
}
LEAST = 0.01  # metres
Spot = tuple[float, float]


@dataclass(frozen=True)
class NetPoint:
    """A routing point; ``space`` is what it is in, nothing for a door."""

    id: str
    level: Level
    place: Spot
    kind: PointKind
    space: Space | None = None


@dataclass(frozen=True)
class NetSegment:
    """A way between two points, to be walked in both directions."""

    a: str
    b: str
    metres: float
    seconds: float
    way: WayKind

    @property
    def id(self) -> str:
        return f"{self.a}~{self.b}"


class Net:
    """What has been laid so far."""

    def __init__(self) -> None:
        self.points: dict[str, NetPoint] = {}
        self.segments: dict[str, NetSegment] = {}

    def put(self, name: str, level: Level, place: Spot, kind: PointKind, space: Space | None = None) -> str:
        """Lay a point; one that is there already stays."""
        spot = (round(place[0], 3), round(place[1], 3))
        self.points.setdefault(name, NetPoint(name, level, spot, kind, space))
        return name

    def join(self, a: str, b: str, way: WayKind) -> None:
        """Lay the straight way between two points."""
        metres = max(LEAST, dist(self.points[a].place, self.points[b].place))
        self._lay(a, b, metres, metres / METRES_A_SECOND[way], way)

    def climb(self, a: str, b: str, way: Way, metres: float = 0.0) -> None:
        """Lay a way from level to level; without a length it is as long as usual."""
        levels = abs(float(self.points[b].level - self.points[a].level)) or 0.5
        usual, seconds = (levels * each for each in STOREY.get(way, STOREY["ramp"]))
        if metres > usual / 4:
            usual, seconds = metres, max(metres / METRES_A_SECOND[way], 1.0)
        self._lay(a, b, usual, seconds, way)

    def _lay(self, a: str, b: str, metres: float, seconds: float, way: WayKind) -> None:
        if a != b:
            a, b = sorted((a, b))
            laid = NetSegment(a, b, round(metres, 2) or LEAST, round(seconds, 2), way)
            self.segments.setdefault(laid.id, laid)
