"""Viewers see people, and counts of them, only where several are together."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.roles import Role, role_for_view
from app.space.told import hours_csv, use_csv
from app.space.use import HourOfUse, Use, without_few
from app.together import FEW, TOGETHER, views_together
from engine.lang.streamsql import parse
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from tests.memory_engine import MemoryEngine
from tests.memory_log import MemoryLog, rows_of
from tests.web_parts import Site, running_site

LOCATED = Relation(
    "located",
    RelationKind.TABLE,
    (
        Column("person", Type.TEXT),
        Column("floor", Type.BIGINT),
        Column("x", Type.DOUBLE),
        Column("y", Type.DOUBLE),
    ),
    key=("person",),
)
PEOPLE = "CREATE VIEW people AS SELECT l.person, l.floor, l.x, l.y FROM located l"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("least", [1, 2, 3])
def test_nobody_of_a_floor_with_few_is_shown_whatever_moves(seed: int, least: int) -> None:
    random, log = Random(seed), MemoryLog()
    session = log.session(Catalog([LOCATED]))
    session.replace(parse(PEOPLE))
    for statement in views_together(session.views(), least):
        session.replace(statement)
    where: dict[str, int] = {}
    for _ in range(30):
        person = random.choice("abcdef")
        if person in where and random.random() < 0.3:
            log.write(1, "located", (person, where.pop(person), 1.0, 2.0), sign=-1)
        else:
            where[person] = random.randint(1, 3)
            log.write(1, "located", (person, where[person], 1.0, 2.0))
        log.tick(session)
        there = Counter(where.values())
        shown = {(p, f, 1.0, 2.0): 1 for p, f in where.items() if there[f] >= least}
        assert rows_of(session, TOGETHER) == shown
        assert rows_of(session, FEW) == {(f, least): 1 for f, n in there.items() if n < least}


def test_a_building_whose_people_have_no_floor_shows_them_to_analysts_alone() -> None:
    session = MemoryLog().session(Catalog([LOCATED]))
    session.replace(parse("CREATE VIEW people AS SELECT l.person FROM located l"))
    assert list(views_together(session.views(), 3)) == []
    assert role_for_view("people") is Role.ANALYST
    assert role_for_view(TOGETHER) is role_for_view(FEW) is Role.KIOSK


@pytest.mark.parametrize(("peak", "told"), [(0.0, 0.0), (1.0, None), (2.0, None), (3.0, 3.0)])
def test_a_peak_under_three_is_not_told(peak: float, told: float | None) -> None:
    use, hour = Use("1.01", 9.0, 0.5, peak, 1.0, 0.0, 0.0), HourOfUse(0, 0.5, peak, 1.0, 0.0, 0.0)
    found, of_hour = without_few(use, 3), without_few(hour, 3)
    assert (found.peak, of_hour.peak) == (told, told)
    assert (found.mean is None, of_hour.mean is None) == (told is None, told is None)
    assert without_few(use, 1) == use


def test_a_table_says_under_three() -> None:
    class Nowhere:
        places: tuple[Any, ...] = ()

    rooms = [without_few(Use("1.01", 9.0, 0.5, 2.0, 1.0, 0.0, 0.0), 3)]
    assert "1.01,1.01,room,,9.0,under 3,under 3,1.0" in use_csv([], rooms, Nowhere(), 3)  # type: ignore[arg-type]
    hours = [without_few(HourOfUse(0, 0.5, 2.0, 1.0, 0.0, 0.0), 3)]
    assert ",under 3,under 3,1.0," in hours_csv(hours, [], 3)


@pytest.fixture
def site(tmp_path: Path) -> Any:
    with running_site(tmp_path, engine=MemoryEngine()) as running:
        yield running


@pytest.mark.parametrize(("role", "status"), [(Role.KIOSK, 403), (Role.VIEWER, 400), (Role.ANALYST, 400)])
def test_the_past_of_people_is_for_who_may_see_them(site: Site, role: Role, status: int) -> None:
    client = site.web.app.test_client()
    client.get(site.web.auth.issue_link(role))
    answer = client.get("/api/past/at?view=people")
    assert answer.status_code == status
    if role is Role.VIEWER:
        assert "view=people is not on the map" in answer.json["error"]
    if role is Role.ANALYST:
        assert "no past is kept" in answer.json["error"]


@pytest.mark.parametrize(("role", "sees"), [(Role.VIEWER, False), (Role.ANALYST, True)])
def test_how_many_rows_people_has_is_told_to_who_may_see_them(site: Site, role: Role, sees: bool) -> None:
    client = site.web.app.test_client()
    client.get(site.web.auth.issue_link(role))
    named = {view["name"] for view in client.get("/api/views").json}
    assert TOGETHER in named
    assert ("people" in named) is sees
