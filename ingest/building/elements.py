"""What a building is made of: plain frozen values in a local metric frame (x right, y up, metres)."""

from dataclasses import dataclass

Place = tuple[float, float]
Outline = tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Door:
    """An opening in the wall between a corridor and a room or a shaft."""

    id: str
    room: str
    floor: int
    ends: tuple[Place, Place]
    inside: Place
    corridor: Place

    @property
    def middle(self) -> Place:
        (ax, ay), (bx, by) = self.ends
        return (round((ax + bx) / 2, 2), round((ay + by) / 2, 2))


@dataclass(frozen=True, slots=True)
class Room:
    """`kind` is the word of the layout for it; a stairwell or an elevator is no room but a shaft."""

    id: str
    name: str
    kind: str
    floor: int
    outline: Outline
    middle: Place
    area: float
    open_lab: bool


@dataclass(frozen=True, slots=True)
class Shaft:
    """One storey of a stairwell or an elevator; `well` names the whole column."""

    id: str
    well: str
    name: str
    kind: str
    floor: int
    outline: Outline
    middle: Place


@dataclass(frozen=True, slots=True)
class Corridor:
    """A walkable area no door closes; its holes are the blocks it runs around."""

    id: str
    name: str
    floor: int
    outline: Outline
    holes: tuple[Outline, ...] = ()


@dataclass(frozen=True, slots=True)
class Desk:
    """`seat` is where the chair with its cushion stands, `point` the routing point one walks from."""

    id: str
    room: str
    floor: int
    outline: Outline
    middle: Place
    seat: Place
    point: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A computer on a desk, with the versions of its packages."""

    id: str
    desk: str
    room: str
    floor: int
    place: Place
    host: str
    cpu_type: str
    cores: int
    memory_gb: int
    gpu: str | None
    packages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Equipment:
    """So many pieces of something in a room."""

    room: str
    item: str
    pieces: int


@dataclass(frozen=True, slots=True)
class Detector:
    """An RFID detector on the ceiling; it hears badges."""

    id: str
    floor: int
    place: Place


@dataclass(frozen=True, slots=True)
class RoutingPoint:
    """Where a way begins, ends or forks; `kind` tells what is there."""

    id: str
    floor: int
    place: Place
    kind: str
    room: str | None = None


@dataclass(frozen=True, slots=True)
class RoutingSegment:
    """An undirected way between two routing points; `seconds` is how long walking it takes."""

    id: str
    a: str
    b: str
    metres: float
    seconds: float
    way: str


@dataclass(frozen=True, slots=True)
class DoorContact:
    """A door leaf with a contact that tells whether it is open; closed, its `segment` is no way."""

    id: str
    name: str
    kind: str
    floor: int
    ends: tuple[Place, Place]
    segment: str


@dataclass(frozen=True, slots=True)
class Entrance:
    """A way into the building; `step_free` when there is a ramp."""

    id: str
    name: str
    floor: int
    place: Place
    point: str
    step_free: bool


@dataclass(frozen=True, slots=True)
class Floor:
    """The slab of a storey."""

    number: int
    label: str
    outline: Outline
    courtyards: tuple[Outline, ...]


@dataclass(frozen=True, slots=True)
class Building:
    """All of it."""

    name: str
    width: float
    height: float
    floors: tuple[Floor, ...]
    rooms: tuple[Room, ...]
    doors: tuple[Door, ...]
    shafts: tuple[Shaft, ...]
    corridors: tuple[Corridor, ...]
    desks: tuple[Desk, ...]
    machines: tuple[Machine, ...]
    equipment: tuple[Equipment, ...]
    detectors: tuple[Detector, ...]
    points: tuple[RoutingPoint, ...]
    segments: tuple[RoutingSegment, ...]
    entrances: tuple[Entrance, ...]
    contacts: tuple[DoorContact, ...]
    kiosk: RoutingPoint
