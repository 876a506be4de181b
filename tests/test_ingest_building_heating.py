"""Radiators and windows of the simulated building: who airs is there, and a draught opens the valve."""

import pytest

from ingest.building import devices, heating
from ingest.building.design import the_building
from ingest.building.floors import Occupancy
from ingest.building.schedule import HOUR

BUILDING = the_building()
ROOMS = {room.id: room for room in BUILDING.rooms}


@pytest.fixture(scope="module")
def people() -> Occupancy:
    found = Occupancy(BUILDING, 1)
    found.turn_to(0)
    return found


def test_a_window_is_open_only_while_somebody_is_in_its_room(people: Occupancy) -> None:
    aired = [(room, one) for room, uses in people.aired.items() for one in uses]
    assert len(aired) > 100
    for room, (opens, closes) in aired:
        stays = devices.joined(people.stays[room])
        assert any(begins <= opens < closes <= ends + 0.1 for begins, ends in stays)
        assert closes - opens <= heating.LONG


def test_at_any_hour_of_the_day_some_rooms_are_aired_and_most_are_not(people: Occupancy) -> None:
    for hour in range(9, 17):
        opened = sum(devices.during(uses, hour * HOUR) is not None for uses in people.aired.values())
        assert 0 < opened < len(ROOMS) / 4


def test_a_valve_opens_the_further_the_colder_it_is_and_further_beside_an_open_window() -> None:
    aired = [(100.0, 200.0)]
    assert heating.valve(23.0, aired, 0.0) == 0.0
    assert heating.valve(21.5, aired, 0.0) == 40.0
    assert heating.valve(21.5, aired, 150.0) == 75.0
    assert heating.valve(15.0, aired, 150.0) == 100.0


def test_a_battery_lasts_for_years_and_is_never_below_empty() -> None:
    room = next(iter(ROOMS.values()))
    levels = [heating.battery(room, day) for day in (0, 100, 10_000)]
    assert levels == sorted(levels, reverse=True)
    assert 0.0 <= levels[-1] < levels[0] <= 98.0
