"""What is known of devices, as values.

    announcement → Announcement: devices in part, and their entities     (``forms``)
    many of them, and what people say → Device, Entity                (``registry``)

Several announcements speak of one device, each of a part of it; what none says is None.
"""

from dataclasses import dataclass
from typing import NamedTuple

from engine.model.values import Row
from ingest.decoding.values import FieldError
from ingest.discovery.message import Message
from ingest.discovery.templates import compiled

ALL, ANY, LATEST = "all", "any", "latest"
AVAILABLE, NOT_AVAILABLE = "online", "offline"
MODES = (ALL, ANY, LATEST)


@dataclass(frozen=True, slots=True)
class Device:
    """A device; ``via`` is the device that it reaches us by, ``origin`` the program that announces it."""

    id: str
    name: str | None = None
    maker: str | None = None
    model: str | None = None
    software: str | None = None
    via: str | None = None
    origin: str | None = None
    room: str | None = None
    desk: str | None = None
    disabled: bool = False

    def row(self) -> Row:
        """Return it as a row of ``devices``."""
        facts = (self.id, self.name, self.maker, self.model)
        return (*facts, self.room, self.desk, self.via, self.origin, self.disabled)


@dataclass(frozen=True, slots=True)
class Availability:
    """A topic that says whether something is there."""

    topic: str
    available: str = AVAILABLE
    not_available: str = NOT_AVAILABLE
    template: str | None = None

    def says(self, payload: bytes) -> bool | None:
        """Tell whether a message says that it is there; None where it says neither."""
        try:
            message = Message(payload)
            found = message.text if self.template is None else compiled(self.template)(message)
        except FieldError:
            return None
        return {self.available: True, self.not_available: False}.get(str(found))


@dataclass(frozen=True, slots=True)
class Extract:
    """How an entity's value is read from a message on its topic.

    ``template`` is the device's own, ``path`` one of a form that we know: where a message does not have it,
    it speaks of something else. ``on`` and ``off`` are the words of what is on or off. Where what
    is found is an object, or the text of one, ``key`` is its part that counts.
    """

    template: str | None = None
    path: tuple[str | int, ...] = ()
    on: str | None = None
    off: str | None = None
    numeric: bool = False
    divisor: float = 1.0
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing that a device measures or is; without ``extract`` it is known but not read.

    Some say the same on several topics, by the device's settings: ``also`` are the others.
    """

    id: str
    device: str
    name: str | None = None
    component: str | None = None
    quantity: str | None = None
    unit: str | None = None
    topic: str | None = None
    extract: Extract | None = None
    availability: tuple[Availability, ...] = ()
    availability_mode: str = LATEST
    expire_after: float | None = None
    also: tuple[tuple[str, Extract], ...] = ()

    def topics(self) -> tuple[str, ...]:
        """Return the topics that speak of it, whether it is read from them or not."""
        also = tuple(topic for topic, _ in self.also)
        return also if self.topic is None else (self.topic, *also)

    def extracts(self) -> tuple[tuple[str, Extract], ...]:
        """Return how it is read, by topic."""
        if self.topic is None or self.extract is None:
            return self.also
        return ((self.topic, self.extract), *self.also)

    def row(self) -> Row:
        """Return it as a row of ``entities``."""
        kind = (self.name, self.component, self.quantity, self.unit)
        return (self.id, self.device, *kind, self.topic, self.expire_after)


class Met(NamedTuple):
    """What a mapped stream's row tells of a device that never announces itself."""

    device: str
    room: str | None
    entity: str
    quantity: str
    unit: str | None
    topic: str
    expire_after: float | None


class Announcement(NamedTuple):
    """What one announcement says; ``problems`` are of parts that are not understood, the rest stands."""

    devices: tuple[Device, ...] = ()
    entities: tuple[Entity, ...] = ()
    problems: tuple[str, ...] = ()


NOTHING = Announcement()
