"""What is told of the use of space: JSON for charts, CSV for a table."""

from collections.abc import Sequence
from typing import Any

from app import present
from app.building import AnyBuilding
from app.history.told import csv_text
from app.space.energy import Drawn, Energy, HourOfEnergy, Tariff, cost
from app.space.sensors import Judged
from app.space.use import HourOfUse, Use

USE_HEADER = (
    "place",
    "name",
    "kind",
    "floor",
    "known_hours",
    "mean",
    "peak",
    "used_hours",
    "reserved_hours",
    "idle_hours",
)
HOURS_HEADER = ("at", "mean", "peak", "used", "reserved", "idle", "kwh")
ENERGY_HEADER = ("what", "of", "name", "where", "kwh", "cost", "currency", "known_hours")


def use_json(floors: Sequence[Use], rooms: Sequence[Use], building: AnyBuilding) -> dict[str, Any]:
    return {
        "floors": [_use(use) for use in floors],
        "rooms": [{**_room(use.place, building), **_use(use)} for use in rooms],
    }


def use_csv(floors: Sequence[Use], rooms: Sequence[Use], building: AnyBuilding, least: int) -> str:
    of_floors = (
        (f"floor {use.place}", f"Floor {use.place}", "floor", use.place, *_said(_figures(use), 2, least))
        for use in floors
    )
    of_rooms = (
        (use.place, *list(_room(use.place, building).values()), *_said(_figures(use), 2, least))
        for use in rooms
    )
    return csv_text(USE_HEADER, [*of_floors, *of_rooms])


def _room(room: str, building: AnyBuilding) -> dict[str, Any]:
    place = next((place for place in building.places if place.id == room), None)
    if place is None:
        return {"name": room, "kind": "room", "floor": None}
    return {"name": place.name, "kind": place.kind, "floor": place.floor}


def _use(use: Use) -> dict[str, Any]:
    return {"place": use.place, **dict(zip(USE_HEADER[4:], _figures(use), strict=True))}


def _figures(use: Use) -> tuple[float | None, ...]:
    return tuple(map(_short, (use.known, use.mean, use.peak, use.used, use.reserved, use.idle)))


def hours_json(hours: Sequence[HourOfUse], energy: Sequence[HourOfEnergy]) -> dict[str, Any]:
    rows = list(_hours(hours, energy))
    return {name: [row[nth] for row in rows] for nth, name in enumerate(HOURS_HEADER)}


def hours_csv(hours: Sequence[HourOfUse], energy: Sequence[HourOfEnergy], least: int) -> str:
    rows = (_said(row, 2, least) for row in _hours(hours, energy))
    return csv_text(HOURS_HEADER, ((present.moment(row[0]), *row[1:]) for row in rows))


def _said(figures: tuple[Any, ...], peak: int, least: int) -> tuple[Any, ...]:
    """Say that there were few: of these figures the peak, and the mean before it, are not told."""
    if figures[peak] is not None:
        return figures
    few = f"under {least}"
    return (*figures[: peak - 1], few, few, *figures[peak + 1 :])


def _hours(hours: Sequence[HourOfUse], energy: Sequence[HourOfEnergy]) -> list[tuple[Any, ...]]:
    """Put both side by side, hour by hour: either may begin before the other."""
    of_use, of_energy = {hour.at: hour for hour in hours}, {hour.at: hour.kwh for hour in energy}
    rows = []
    for at in sorted({*of_use, *of_energy}):
        use = of_use.get(at, HourOfUse(at, None, 0.0, None, None, None))
        rows.append((at, *map(_short, (*use[1:], of_energy.get(at)))))
    return rows


def energy_json(energy: Energy, tariff: Tariff | None) -> dict[str, Any]:
    return {
        "tariff": tariff._asdict() if tariff else None,
        "total": {"kwh": _short(energy.total), "cost": _money(energy.total, tariff)},
        **{
            name: [_drawn(each, tariff) for each in getattr(energy, name)]
            for name in ("floors", "rooms", "machines")
        },
    }


def energy_csv(energy: Energy, tariff: Tariff | None) -> str:
    currency = tariff.currency if tariff else ""
    return csv_text(
        ENERGY_HEADER,
        (
            (
                what,
                each.of,
                each.name,
                each.where,
                _short(each.kwh),
                _money(each.kwh, tariff),
                currency,
                _short(each.known),
            )
            for what, found in (
                ("floor", energy.floors),
                ("room", energy.rooms),
                ("machine", energy.machines),
            )
            for each in found
        ),
    )


def _drawn(each: Drawn, tariff: Tariff | None) -> dict[str, Any]:
    found = {"of": each.of, "name": each.name, "where": each.where, "kwh": _short(each.kwh)}
    return {**found, "cost": _money(each.kwh, tariff), "known_hours": _short(each.known)}


def sensors_json(found: Judged, building: AnyBuilding) -> dict[str, Any]:
    stuck = [
        {
            "sensor": each.sensor,
            "name": each.name,
            "room": each.room,
            "room_name": building.rooms.get(each.room, each.room),
            "says": "on" if each.is_on else "off",
            "since": each.since,
            "hours": round(each.hours, 1),
            "why": each.why,
        }
        for each in found.stuck
    ]
    return {"sensors": stuck, "unknown": found.unknown}


def _money(kwh: float, tariff: Tariff | None) -> float | None:
    found = cost(kwh, tariff)
    return None if found is None else round(found, 2)


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
