"""What rooms, floors and machines drew, from the power that was measured, and what that cost.

kWh  =  ∫ W dt  over the time in which a power was known; a gap costs nothing, and is told

"tariff": {"currency": "EUR", "per_kwh": 0.31}      in building.json; without it there are no costs
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from app.building import AnyBuilding
from app.space.hours import AREA, SPAN, HeldHours, Hours
from engine.model.errors import SourceError
from engine.model.values import Row
from engine.views.history import HOUR

ROOMS, MACHINES, WATTS = "room_power", "machine_power", "watts"
KILO = 1000.0


class Tariff(NamedTuple):
    """What a kilowatt hour costs."""

    currency: str
    per_kwh: float


class Drawn(NamedTuple):
    """Of a place or a machine over a stretch; ``known`` are the hours in which its power was known."""

    of: str
    name: str
    where: str
    kwh: float
    known: float


class Energy(NamedTuple):
    """All of it; ``total`` is that of the rooms."""

    floors: list[Drawn]
    rooms: list[Drawn]
    machines: list[Drawn]

    @property
    def total(self) -> float:
        return sum(room.kwh for room in self.rooms)


class HourOfEnergy(NamedTuple):
    """What a place drew in an hour; None while nothing was known."""

    at: int
    kwh: float | None


def tariff_of(described: Mapping[str, Any]) -> Tariff | None:
    """Return the tariff that building.json says, or None; a wrong one is said."""
    found = described.get("tariff")
    if found is None:
        return None
    price = found.get("per_kwh") if isinstance(found, dict) else None
    currency = found.get("currency") if isinstance(found, dict) else None
    is_number = isinstance(price, int | float) and not isinstance(price, bool)
    if not is_number or not 0 <= float(price or 0) < 1e6 or not isinstance(currency, str) or not currency:
        expected = 'expected {"currency": "EUR", "per_kwh": 0.31}'
        problem = f"building.json: tariff is {found!r:.80}; {expected}"
        raise SourceError(problem)
    return Tariff(currency[:8], float(price or 0))


def drawn(held: HeldHours, building: AnyBuilding, start: int, end: int) -> Energy:
    """Return what each drew; whoever drew most comes first."""
    of_rooms, of_machines = _of(held, ROOMS, start, end), _of(held, MACHINES, start, end)
    places = {place.id: place for place in building.places}
    rooms = [
        Drawn(id, places[id].name, f"floor {places[id].floor}", *found)
        for id, found in of_rooms.items()
        if id in places
    ]
    machines = []
    for id, found in of_machines.items():
        stand = building.machines.get(id)
        machines.append(Drawn(id, stand.name if stand else id, stand.room if stand else "", *found))
    floors: dict[int, tuple[float, float]] = {}
    for id, (kwh, known) in of_rooms.items():
        if id in places:
            before = floors.get(places[id].floor, (0.0, 0.0))
            floors[places[id].floor] = (before[0] + kwh, max(before[1], known))
    of_floors = [Drawn(str(n), f"Floor {n}", "", *floors[n]) for n in sorted(floors)]
    return Energy(of_floors, _most_first(rooms), _most_first(machines))


def drawn_by_hour(held: HeldHours, is_of: Mapping[str, bool], start: int, end: int) -> list[HourOfEnergy]:
    """Return the hours of the rooms that are marked, together."""
    hours = held.of(ROOMS, (WATTS,), start, end)
    chosen = [hours.column(key, WATTS) for key in hours.of if is_of.get(str(key[0]))]
    if not chosen:
        return []
    total = np.sum(chosen, axis=0)
    return [
        HourOfEnergy(hours.start + n * HOUR, float(each[AREA]) / KILO if each[SPAN] else None)
        for n, each in enumerate(total)
    ]


def _of(held: HeldHours, view: str, start: int, end: int) -> Mapping[str, tuple[float, float]]:
    hours = held.of(view, (WATTS,), start, end)
    return {str(key[0]): _sum(hours, key) for key in hours.of}


def _sum(hours: Hours, key: Row) -> tuple[float, float]:
    figures = hours.column(key, WATTS)
    return float(figures[:, AREA].sum()) / KILO, float(figures[:, SPAN].sum())


def _most_first(found: list[Drawn]) -> list[Drawn]:
    return sorted(found, key=lambda each: (-each.kwh, each.of))


def cost(kwh: float, tariff: Tariff | None) -> float | None:
    return None if tariff is None else kwh * tariff.per_kwh
