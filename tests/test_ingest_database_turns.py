"""Many fragments of one database: new ones wait their turn, dropped ones are not asked."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from ingest.declarations import asking_for
from ingest.wrappers.database import fragments, sql
from ingest.wrappers.database.remembered import Said, forgetting, remembered, remembering
from tests.asked_database import DDL, LABS, PAIRS, PER_FLOOR, Site, run
from tests.fact_tables import empty_sqlite


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    facts = empty_sqlite(tmp_path)
    run(facts, *DDL)
    opened = Site(facts, tmp_path)
    yield opened
    opened.close()


def test_what_is_new_is_answered_in_turns_while_the_others_follow_every_change(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.declare(asking_for(PER_FLOOR))
    site.step()
    monkeypatch.setattr(fragments, "NEW_SECONDS", -1.0)
    site.declare(asking_for(LABS), asking_for(PAIRS))
    run(site.source.url, "INSERT INTO rooms VALUES ('r4', 2, 'lab')")
    site.wrapper._hastened.clear()
    site.step()
    assert (site.of(PER_FLOOR), site.answered) == ([(1, 2), (2, 2)], [PER_FLOOR.name])
    assert site.wrapper._hastened.is_set()
    monkeypatch.setattr(fragments, "NEW_SECONDS", 0.5)
    site.step()
    assert sorted(site.answered) == sorted([PER_FLOOR.name, LABS.name, PAIRS.name])


def test_what_is_dropped_while_another_is_read_is_neither_asked_nor_told(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answer = fragments.answer

    def drop_all_but_the_second(*args: object) -> Counter[object]:
        asked.append("one")
        site.wrapper.follow({})
        return answer(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fragments, "answer", drop_all_but_the_second)
    site.declare(asking_for(LABS), asking_for(PER_FLOOR))
    site.step()
    assert (asked, site.rows.get(LABS.name), site.answered) == (["one"], None, [])


def test_what_is_dropped_while_its_rows_come_is_read_no_further(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "PART", 1)
    site.declare(asking_for(LABS))
    reading, wanted = site.wrapper._fragments, site.wrapper._wanted
    assert reading is not None
    looks = iter([wanted] * 3)
    monkeypatch.setattr(reading, "_wanted", lambda: next(looks, ()))
    site.step()
    assert (reading._tried, site.answered, reading.problem) == ({f"{LABS.name}@{wanted[0].version}"}, [], "")
    monkeypatch.setattr(reading, "_wanted", lambda: wanted)
    site.step()
    assert site.of(LABS) == [(1,), (1,)]


def test_the_state_is_always_that_of_the_rows_and_forgetting_leaves_nothing() -> None:
    random, state, rows = Random(5), dict[str, str](), Counter[tuple[object, ...]]()
    for _ in range(60):
        changed = {(random.randrange(40), random.choice(["a", None, 0.5, True])) for _ in range(8)}
        for row in changed:
            rows[row] = random.randrange(3)
        rows = +rows
        for _, item, body in remembering("f", rows, changed):
            state.pop(item, None)
            state.update({} if body is None else {item: body})
        assert remembered({**state, "answered": "1"}) == Said(rows, answered=True)
    assert not state.keys() - {item for _, item, _ in forgetting("f", rows)}


def test_a_restart_goes_on_with_a_large_fragment_and_tells_the_difference_alone(site: Site) -> None:
    many = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 9000)"
    run(site.source.url, f"{many} INSERT INTO rooms SELECT 'n' || k, k, 'lab' FROM n")
    site.declare(asking_for(LABS))
    site.step()
    before, units = len(site.of(LABS)), len(site.units)
    site.wrapper.close()
    run(site.source.url, "DELETE FROM rooms WHERE room = 'n77'")
    site.start()
    site.follow()
    site.step()
    changed = [each for each in site.units[units:] if LABS.name in each]
    assert (before - len(site.of(LABS)), [unit.count(LABS.name) for unit in changed]) == (1, [1])
