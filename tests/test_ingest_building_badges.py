"""Beacons of walking people as the view `people` sees them: near the truth, on one floor at a time."""

from collections import defaultdict
from collections.abc import Mapping
from math import dist
from statistics import median
from typing import Any

import pytest

from engine.model.clock import ManualClock
from ingest.building.badges import BadgeDevices, rssi
from ingest.building.design import the_building
from ingest.building.rota import SECOND, Rota
from ingest.building.schedule import Schedule

BUILDING = the_building()
SEED, EPOCH = 1, 1_700_000_000_000_000
WINDOW = 3 * SECOND


class Ear:
    """Takes what the badges say, in the place of a connection, with the time it was said."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.heard: list[tuple[int, str, str, float]] = []

    def send(self, topic: str, payload: Mapping[str, Any]) -> None:
        _, _, detector, person = topic.split("/")
        self.heard.append((self.clock.now(), detector, person, payload["rssi"]))


@pytest.fixture(scope="module")
def quarter_of_an_hour() -> tuple[BadgeDevices, list[tuple[int, str, str, float]]]:
    clock = ManualClock(EPOCH)
    ear = Ear(clock)
    badges = BadgeDevices(BUILDING, SEED, Schedule(EPOCH), ear)
    rota = Rota(clock, 1.0)
    badges.enrol(rota)
    rota.begin()
    for _ in range(9000):
        clock.advance(SECOND // 10)
        rota.give_turns(clock.now())
    return badges, ear.heard


def seen(heard: list, at: int) -> dict[tuple[str, int], tuple[float, float]]:
    """The view `people` at a time: (person, floor) to (x, y)."""
    detectors = {detector.id: detector for detector in BUILDING.detectors}
    groups = defaultdict(list)
    for when, detector, person, strength in heard:
        if at - WINDOW < when <= at:
            groups[(person, detectors[detector].floor)].append(
                (detectors[detector].place, 10 ** (strength / 20))
            )
    return {
        key: tuple(sum(place[n] * w for place, w in found) / sum(w for _, w in found) for n in (0, 1))
        for key, found in groups.items()
    }


def test_the_signal_falls_by_six_decibels_when_the_distance_doubles():
    assert rssi(4) - rssi(8) == pytest.approx(6.02, abs=0.01)
    assert rssi(0.2) == rssi(1)


def test_nobody_is_on_two_floors_and_everybody_is_seen_near_where_they_are(quarter_of_an_hour):
    badges, heard = quarter_of_an_hour
    schedule, errors, counts, changed = Schedule(EPOCH), [], [], set()
    people = {person.id: person for person in badges.whereabouts.people}
    floors: dict[str, int] = {}
    for second in range(10, 900, 2):
        now = EPOCH + second * SECOND
        view = seen(heard, now)
        counts.append(len(view))
        assert len({person for person, _ in view}) == len(view), f"somebody on two floors at {second} s"
        for (person, floor), place in view.items():
            where = badges.whereabouts.position(people[person], schedule.at(now - SECOND).second)
            if floors.setdefault(person, floor) != floor:
                changed.add(person)
            floors[person] = floor
            if where is not None and where.heard:
                assert where.floor == floor
                errors.append(dist(place, where.place))
    assert median(errors) < 3
    assert sorted(errors)[int(len(errors) * 0.95)] < 7
    assert 12 <= median(counts) <= 30
    assert len(changed) >= 5


def test_a_modest_number_of_messages_is_sent(quarter_of_an_hour):
    _, heard = quarter_of_an_hour
    assert 20 <= len(heard) / 900 <= 50
