"""The views of where people are: a badge near two detectors, another climbing stairs, meters of a lab."""

import random
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from engine.contracts import Explanation
from engine.lang.streamsql import parse_script
from engine.lang.streamsql.statements.forms import CreateView
from engine.model.clock import SECOND
from engine.model.values import Row
from engine.session import Session
from engine.views.why.effort import Effort
from ingest.building.badges import rssi
from ingest.building.design import FOLDER
from tests.demo_building import BUILDING, catalog_of, laid_out
from tests.memory_log import MemoryLog, rows_of

WEST, EAST = "rfid-1-02", "rfid-1-06"
UPSTAIRS = "rfid-2-02"


class House:
    """Some views of the building, over its facts and what a test says."""

    def __init__(self, folder: Path, *views: str) -> None:
        self.catalog, self.views = catalog_of(folder), views
        self.log = MemoryLog()
        for table in ("detectors", "outlets"):
            self.log.write(0, table, *laid_out(self.catalog[table]))
        self.session = self.started()

    def started(self) -> Session:
        """A session that took all that the log has in one tick."""
        session = self.log.session(self.catalog)
        for statement in parse_script((FOLDER / "views.sql").read_text("utf-8")):
            if isinstance(statement, CreateView) and statement.name in self.views:
                session.replace(statement)
        self.log.tick(session)
        return session

    def hears(self, gap: int, person: str, *heard: tuple[str, float]) -> None:
        at = self.log.stamps[-1] + gap
        self.log.write(gap, "sightings", *((name, person, strength, at) for name, strength in heard))
        self.log.tick(self.session)

    def rows(self, view: str) -> Sequence[Row]:
        return list(rows_of(self.session, view))


@pytest.mark.parametrize("seed", range(4))
def test_who_stands_between_two_detectors_is_near_one_of_them_throughout(tmp_path: Path, seed: int) -> None:
    house, draw, near = House(tmp_path, "whereabouts", "people"), random.Random(seed), []
    for _ in range(240):
        house.hears(SECOND, "ann", *((name, -60 + draw.uniform(-3, 3)) for name in (WEST, EAST)))
        near.append(house.rows("whereabouts")[0][1])
        ((_, floor, x, _),) = house.rows("people")
        assert floor == 1
        assert 8.75 < float(str(x)) < 23.65
    assert sum(one != other for one, other in pairwise(near)) <= 1


def test_who_climbs_the_stairs_is_upstairs_at_the_first_word_from_there(tmp_path: Path) -> None:
    house = House(tmp_path, "whereabouts", "people")
    for metres in (2, 3, 4):
        house.hears(SECOND, "ann", (WEST, rssi(metres)), (EAST, rssi(12)))
    assert house.rows("whereabouts") == [("ann", WEST)]
    house.hears(6 * SECOND, "ann", (UPSTAIRS, rssi(3)))
    assert house.rows("whereabouts") == [("ann", UPSTAIRS)]
    assert [row[1] for row in house.rows("people")] == [2]
    house.hears(10 * SECOND, "bob", (WEST, -50.0))
    assert [row[0] for row in house.rows("people")] == ["bob"], "nobody heard ann for three seconds"
    house.hears(61 * SECOND, "bob", (WEST, -50.0))
    assert house.rows("whereabouts") == [("bob", WEST)]


@pytest.mark.parametrize("seed", range(3))
def test_incremental_is_as_recomputed(tmp_path: Path, seed: int) -> None:
    house, draw = House(tmp_path, "whereabouts", "people", "machine_energy"), random.Random(seed)
    detectors = [*[detector.id for detector in BUILDING.detectors][:4], UPSTAIRS]
    kwh = [1_000.0, 2_000.0]
    for _ in range(60):
        house.hears(
            draw.randint(0, 20) * SECOND,
            draw.choice(("ann", "bob")),
            *((name, draw.uniform(-80, -45)) for name in draw.sample(detectors, draw.randint(0, 3))),
        )
        outlet = draw.randrange(2)
        kwh[outlet] = draw.choice((kwh[outlet] * 0.97, 0.0, *[kwh[outlet] + draw.random()] * 6))
        at = house.log.stamps[-1]
        house.log.write(0, "outlet_power", ("pdu-1", outlet + 1, 50.0, kwh[outlet], at))
        house.log.tick(house.session)
        again = house.started()
        for view in house.views:
            assert rows_of(house.session, view) == rows_of(again, view)


def test_why_names_the_rows_that_a_walk_went_over(tmp_path: Path) -> None:
    house = House(tmp_path, "machine_energy")
    for kwh in (100.0, 101.5):
        at = house.log.stamps[-1] + SECOND
        house.log.write(SECOND, "outlet_power", ("pdu-1", 1, 50.0, kwh, at))
        house.log.write(0, "outlet_power", ("pdu-1", 2, 50.0, 1.0, at))
    house.log.tick(house.session)
    found = house.session.why("machine_energy", ("hopper-01", 1.5), Effort(5, 100_000, time.monotonic))
    assert isinstance(found, Explanation)
    read = [row.row[:4] for row in found.witness if row.relation == "outlet_power"]
    assert sorted(read) == [("pdu-1", 1, 50.0, 100.0), ("pdu-1", 1, 50.0, 101.5)]
