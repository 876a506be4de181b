"""How much of a place is used: a room, a floor, all of it.

    mean       desks taken, over the time of which something is known        peak    the most at once
    used       hours in which somebody was there; of a floor, of all its rooms together
    reserved   hours that were reserved; ``idle`` those of them in which nobody came

The figures are sums over hours, so a stretch is the sum of its days, and a day that of its hours.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from app.building import AnyBuilding
from app.space.hours import AREA, PEAK, SPAN, HeldHours, Hours
from app.space.shelf import Figures
from engine.model.errors import QueryError
from engine.model.values import Row
from engine.views.history import HOUR

COLUMNS = ("taken", "used", "reserved", "idle")
ROOMS, FLOORS, WHOLE = "room_use", "floor_use", "building_use"


class Use(NamedTuple):
    """Of a place over a stretch; ``known`` are the hours of which something is known.

    Without a ``peak`` there were fewer than may be told, and somebody.
    """

    place: str
    known: float
    mean: float | None
    peak: float | None
    used: float
    reserved: float
    idle: float


class HourOfUse(NamedTuple):
    """The same of an hour; ``at`` is where it begins."""

    at: int
    mean: float | None
    peak: float | None
    used: float | None
    reserved: float | None
    idle: float | None


Told = TypeVar("Told", Use, HourOfUse)


def without_few(told: Told, least: int) -> Told:
    """Return the figures without how many they were, where they never were so many at once."""
    return told._replace(mean=None, peak=None) if 0 < (told.peak or 0) < least else told


class Asked(NamedTuple):
    """Of whom something is asked: a room, a floor, or, where both are None, all of the building."""

    room: str | None = None
    floor: int | None = None

    @property
    def view(self) -> str:
        return ROOMS if self.room is not None else FLOORS if self.floor is not None else WHOLE

    def is_of(self, key: Row) -> bool:
        if self.room is not None:
            return key[0] == self.room
        return self.floor is None or key[0] == self.floor


def uses(held: HeldHours, view: str, start: int, end: int) -> list[Use]:
    """Return how each place of a view is used."""
    hours = held.of(view, COLUMNS, start, end)
    return sorted((_use(hours, key) for key in hours.of), key=lambda use: use.place)


def _use(hours: Hours, key: Row) -> Use:
    taken = hours.column(key, "taken")
    known = float(taken[:, SPAN].sum())
    mean = float(taken[:, AREA].sum()) / known if known else None
    rest = (float(hours.column(key, name)[:, AREA].sum()) for name in COLUMNS[1:])
    return Use(str(key[0]), known, mean, float(taken[:, PEAK].max(initial=0.0)), *rest)


def by_hour(held: HeldHours, building: AnyBuilding, asked: Asked, start: int, end: int) -> list[HourOfUse]:
    """Return the hours of one place."""
    _check(building, asked)
    hours = held.of(asked.view, COLUMNS, start, end)
    key = next((key for key in hours.of if asked.is_of(key)), None)
    if key is None:
        return []
    figures = [hours.column(key, name) for name in COLUMNS]
    there = range(len(figures[0]))
    return [_hour(hours.start + n * HOUR, [each[n] for each in figures]) for n in there]


def _hour(at: int, figures: Sequence[Figures]) -> HourOfUse:
    mean, *rest = (float(each[AREA] / each[SPAN]) if each[SPAN] else None for each in figures)
    used, reserved, idle = rest
    return HourOfUse(at, mean, float(figures[0][PEAK]), used, reserved, idle)


def _check(building: AnyBuilding, asked: Asked) -> None:
    if asked.room is not None and asked.room not in building.rooms:
        problem = f"unknown room {asked.room[:80]}; the page Use of space lists them all"
        raise QueryError(problem)
    floors = sorted({place.floor for place in building.places})
    if asked.floor is not None and asked.floor not in floors:
        problem = f"unknown floor {asked.floor}; there are {', '.join(map(str, floors))}"
        raise QueryError(problem)
