"""What people do: the same in every process, without jumps, one at a desk, guests where they are expected."""

from itertools import pairwise
from math import dist

import pytest

from ingest.building.agenda import Agenda, Stay, Walk
from ingest.building.badges import Whereabouts
from ingest.building.bookings import bookings
from ingest.building.design import the_building
from ingest.building.paths import Paths
from ingest.building.schedule import CLOSES, HOUR, MINUTE, OPENS, START, Moment, Schedule

BUILDING = the_building()
PATHS = Paths.of(BUILDING)
SEED = 1
FASTEST = 1.6


@pytest.fixture(scope="module")
def agenda() -> Agenda:
    return Agenda(BUILDING, PATHS, SEED, 0)


@pytest.fixture(scope="module")
def whereabouts() -> Whereabouts:
    return Whereabouts(BUILDING, SEED)


def test_every_start_meets_mid_morning_and_the_night_is_left_out():
    epoch = 1_700_000_000_000_000
    schedule = Schedule(epoch)
    assert schedule.at(epoch) == Moment(0, START)
    evening = schedule.when(Moment(0, CLOSES - 1))
    assert schedule.at(evening + 2_000_000) == Moment(1, OPENS + 1)
    assert schedule.when(schedule.at(epoch + 123_000_000)) == epoch + 123_000_000


def test_the_same_seed_gives_the_same_day_and_another_seed_another(agenda: Agenda):
    assert Agenda(BUILDING, Paths.of(BUILDING), SEED, 0).stages == agenda.stages
    assert Agenda(BUILDING, PATHS, SEED + 1, 0).stages != agenda.stages
    assert Agenda(BUILDING, PATHS, SEED, 1).stages != agenda.stages


def test_who_sits_does_not_depend_on_who_is_on_their_feet(agenda: Agenda):
    sitters = Agenda(BUILDING, PATHS, SEED, 0, restless=False)
    assert sitters.desk_uses == agenda.desk_uses
    assert sitters.stages.items() <= agenda.stages.items()


def test_stages_follow_each_other_without_a_gap_and_end_outside(agenda: Agenda):
    for stages in agenda.stages.values():
        assert all(a.ends == b.begins for a, b in pairwise(stages))
        assert all(stage.begins <= stage.ends for stage in stages)
        assert isinstance(stages[0], Walk)
        assert isinstance(stages[-1], Walk)
        assert stages[-1].end.room is None
        assert stages[0].begins > OPENS
        assert stages[-1].ends < CLOSES


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nobody_sits_on_a_taken_chair(seed: int):
    for desk, uses in Agenda(BUILDING, PATHS, seed, 0, restless=False).desk_uses.items():
        ordered = sorted(uses)
        assert all(a[1] <= b[0] for a, b in pairwise(ordered)), desk


def test_nobody_moves_faster_than_a_walk(whereabouts: Whereabouts):
    for person in whereabouts.people[::3]:
        places = [whereabouts.position(person, 10 * HOUR + tick / 2) for tick in range(7200)]
        for before, here in pairwise(places):
            if before is not None and here is not None:
                assert dist(here.place, before.place) <= FASTEST / 2 + 0.02, person


def test_between_two_floors_a_badge_is_silent_for_longer_than_the_window_of_the_view(
    whereabouts: Whereabouts,
):
    climbs = 0
    for person in whereabouts.people:
        floor, heard_at = None, 0.0
        for tick in range(3600):
            second = 10 * HOUR + tick
            here = whereabouts.position(person, second)
            if here is None or not here.heard:
                continue
            if floor not in (None, here.floor):
                climbs += 1
                assert second - heard_at > 4, person
            floor, heard_at = here.floor, second
    assert climbs > 50


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_mid_morning_is_busy(seed: int):
    agenda = Agenda(BUILDING, PATHS, seed, 0)
    walking = sitting = desks = 0
    looks = [START + n * 2 * MINUTE for n in range(10)]
    for stages in agenda.stages.values():
        for stage in stages:
            during = sum(stage.begins <= look < stage.ends for look in looks)
            walking += during * isinstance(stage, Walk)
            sitting += during * (isinstance(stage, Stay) and stage.sits)
            desks += during * (isinstance(stage, Stay) and stage.spot.desk is not None)
    assert 15 <= walking / len(looks) <= 26
    assert 85 <= sitting / len(looks) <= 130
    assert desks / len(looks) >= 50


def test_guests_sit_in_a_booked_room_while_it_is_booked(agenda: Agenda):
    uses = agenda.room_uses()
    for booking in bookings(BUILDING, SEED, 0):
        if 9 * HOUR < booking.begins < 15 * HOUR and booking.guests > 4:
            for look in (booking.begins + 4 * MINUTE, booking.ends - 2 * MINUTE):
                there = sum(begins <= look < ends for begins, ends in uses[booking.room])
                assert there > booking.guests / 3, booking


def test_bookings_of_a_room_do_not_overlap():
    for day in range(5):
        booked = bookings(BUILDING, SEED, day)
        for a in booked:
            for b in booked:
                assert a is b or a.room != b.room or a.ends <= b.begins or b.ends <= a.begins
