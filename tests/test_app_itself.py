"""SmartCIS says of itself what queries run, by which operators, at what cost; and no more than that."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from app.itself import TellingItself
from engine.model.clock import SECOND, ManualClock
from engine.model.itself import ITSELF, SELF
from ingest.log import CLOCK_ENTRY, Log, Position
from tests.declared_house import House
from tests.environment.waiting import until

READ = "CREATE VIEW pressed AS SELECT s.desk FROM seats s WHERE s.pressed"
COUNTED = "CREATE VIEW counted AS SELECT count(*) AS n FROM pressed"
PER_QUERY = """SELECT u.query, sum(o.came) AS came FROM query_operators u, operators o
WHERE u.operator = o.operator GROUP BY u.query"""


class Telling:
    """A house that says of itself what there is, when a test says so."""

    def __init__(self, house: House) -> None:
        self.house, self.clock = house, ManualClock(SECOND)
        self.itself = TellingItself(house.engine, house.session.itself, house.log, self.clock, 5.0)

    def look(self, seconds: int = 5) -> int:
        self.clock.advance(seconds * SECOND)
        self.reach()
        found = self.itself.look()
        self.reach()
        return found

    def reach(self) -> None:
        self.house.log.append([CLOCK_ENTRY])
        end = self.house.log.last().offset
        until(lambda: self.house.engine.stamp().offset >= end, 5, "the engine to read all")

    def entries(self) -> list[list[list[object]]]:
        return [json.loads(r.payload)["changes"] for r in self.house.log.read(0) if r.source == SELF]


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Telling]:
    house = House(tmp_path)
    yield Telling(house)
    house.stop()


def test_queries_are_rows_with_their_text_state_and_plan(telling: Telling) -> None:
    telling.house.do(READ)
    telling.look()
    (row,) = telling.house.rows("SELECT query, text, plan, state, since, problem FROM queries")
    assert row[0] == "pressed"
    assert row[1] == READ
    assert row[3:] == ("running", telling.clock.now(), None)
    (top,) = telling.house.rows("SELECT o.does FROM operators o, queries q WHERE q.plan = o.operator")
    assert top == ("project desk",)


def test_a_query_that_goes_takes_its_rows_along(telling: Telling) -> None:
    telling.house.do(READ)
    telling.look()
    telling.house.do("DROP VIEW pressed")
    telling.look()
    for table in ITSELF:
        assert telling.house.rows(f"SELECT * FROM {table.name}") == []


def test_rows_in_and_out_are_counted_and_shared_operators_are_there_once(telling: Telling) -> None:
    telling.house.do(f"{READ}; {COUNTED}")
    telling.look()
    for desk in range(4):
        telling.house.hears(f"seat/d{desk}", b'{"pressed": true}')
    telling.look()
    by_query = dict(telling.house.rows("SELECT query, rows FROM query_costs"))
    assert by_query == {"pressed": 4, "counted": 1}
    leaves = telling.house.rows("SELECT does, went, held FROM operators WHERE does LIKE 'window%'")
    assert len(leaves) == 1
    assert leaves[0][1:] == (4, 4)
    uses = telling.house.rows("SELECT operator, count(*) AS n FROM query_operators GROUP BY operator")
    assert max(n for _, n in uses) == 2
    assert all(came is not None for _, came in telling.house.rows(PER_QUERY))


def test_only_what_changed_is_said_and_nothing_where_nothing_did(telling: Telling) -> None:
    telling.house.do(READ)
    assert telling.look() > 0
    telling.look()  # the load, which two looks are needed for
    assert telling.look() == 0
    telling.house.hears("seat/d1", b'{"pressed": true}')
    telling.look()
    last = telling.entries()[-1]
    assert {change[1] for change in last} <= {"operators", "query_costs"}
    assert all(change[0] == 1 for change in last)


def test_queries_over_the_tables_cost_one_entry_a_look_and_never_more(telling: Telling) -> None:
    telling.house.do(f"CREATE VIEW watching AS {PER_QUERY}; CREATE VIEW seen AS SELECT * FROM queries")
    sizes = []
    for _ in range(12):
        before = len(telling.entries())
        sizes.append(telling.look())
        assert len(telling.entries()) <= before + 1
    assert max(sizes[2:]) <= sizes[0]  # what feeds on itself stays as large as it is
    assert dict(telling.house.rows("SELECT query, state FROM queries")) == {
        "watching": "running",
        "seen": "running",
    }


def test_nothing_is_said_before_the_last_was_read(telling: Telling) -> None:
    telling.house.do(READ)
    telling.look()
    telling.house.ending.set()
    telling.house.thread.join(120)
    telling.house.session.drop("pressed")
    assert telling.itself.look() > 0
    assert telling.itself.look() == 0
    assert telling.itself.look() == 0


def test_where_nothing_is_to_be_said_what_the_last_run_said_goes(telling: Telling) -> None:
    telling.house.do(READ)
    telling.look()
    house = telling.house
    silent = TellingItself(house.engine, house.session.itself, house.log, telling.clock, 0.0)
    silent.start()
    until(lambda: house.rows("SELECT * FROM queries") == [], 10, "the tables to be empty")
    silent.stop()
    for table in ITSELF:
        assert house.rows(f"SELECT * FROM {table.name}") == []


def test_a_log_that_cannot_be_written_for_a_while_has_the_truth_afterwards(telling: Telling) -> None:
    telling.house.do(READ)
    house, failing = telling.house, [True]

    class Failing(Log):
        def append(self, *entries: Any, **more: Any) -> Position:
            if failing.pop() if failing else False:
                raise OperationalError("INSERT", {}, OSError("disk full"))
            return super().append(*entries, **more)

    log = Failing(house.url)
    patient = TellingItself(house.engine, house.session.itself, log, telling.clock, 0.05)
    patient.start()
    until(lambda: house.rows("SELECT query FROM queries") == [("pressed",)], 10, "the query to be told")
    patient.stop()
    log.close()
    assert not failing


def test_a_suspended_query_says_why(telling: Telling) -> None:
    telling.house.do(READ)
    telling.reach()
    view = telling.house.session._views["pressed"]
    telling.house.engine.ask(lambda: view.suspend("too slow", telling.house.session.stamp.at))
    telling.look()
    found = telling.house.rows("SELECT state, plan, problem FROM queries")
    assert found == [("suspended", None, "too slow")]


def test_since_outlives_a_restart_while_nothing_changes(tmp_path: Path) -> None:
    first = Telling(House(tmp_path))
    first.house.do(READ)
    first.look()
    since = first.house.rows("SELECT since, plan FROM queries")
    image = first.house.stop()
    second = Telling(House(tmp_path, image))
    second.clock.advance(1000 * SECOND)
    second.look()
    assert second.house.rows("SELECT since, plan FROM queries") == since
    second.house.stop()


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 8))])
def test_the_tables_say_what_is_so_whatever_was_made_and_dropped(telling: Telling, seed: int) -> None:
    chance = random.Random(seed)
    there: dict[str, str] = {}
    for step in range(25):
        name = f"v{chance.randrange(6)}"
        if name in there:
            telling.house.do(f"DROP VIEW {name}")
            del there[name]
        else:
            where = chance.choice(("s.pressed", "NOT s.pressed", "s.desk > 'd1'"))
            there[name] = f"CREATE VIEW {name} AS SELECT s.desk FROM seats s WHERE {where}"
            telling.house.do(there[name])
        telling.house.hears(f"seat/d{chance.randrange(3)}", b'{"pressed": true}')
        if chance.random() < 0.4 or step == 24:
            telling.look()
    itself, engine = telling.house.session.itself, telling.house.engine
    assert dict(telling.house.rows("SELECT query, text FROM queries")) == there
    told, known = engine.ask(lambda: (itself.told(telling.clock.now() + 1), itself.known()))
    for table in ("queries", "operators", "query_operators"):
        assert {key: row[:1] for key, row in told[table].items()} == {
            key: row[:1] for key, row in known[table].items()
        }
    assert {key: row[2:5] for key, row in told["operators"].items()} == {
        key: row[2:5] for key, row in known["operators"].items()
    }
