"""Alarms of rows: whatever comes and goes, restarts and fails, what stands is what the rows say."""

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app.alarming.outbox import Outbox
from app.alarming.rule import Rule, rule_of
from app.alarming.sink import Alarms
from app.alarming.store import ESCALATED, AlarmStore, Named
from app.facade import Delta, Snapshot
from app.routes import Route
from engine.lang.streamsql import Output
from engine.model.clock import ManualClock
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type

COLUMNS = (Column("room", Type.TEXT), Column("celsius", Type.DOUBLE))
MINUTE = 60_000_000
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.lists(st.tuples(st.sampled_from(["1.01", "1.02"]), st.sampled_from([20.0, 31.0])), max_size=3),
        st.sampled_from(["", "", "", "restarts", "fails", "holds"]),
    ),
    max_size=20,
)


class Failing(AlarmStore):
    """A database that is away for one turn."""

    fails = False

    def write(self, *arguments: Any) -> dict[str, int]:
        if self.fails:
            self.fails = False
            message = "the disk is full"
            raise OSError(message)
        return super().write(*arguments)


class Told:
    """A view and the alarms of it."""

    def __init__(self, folder: Path, **options: str) -> None:
        self.url, self.clock = f"sqlite:///{folder / 'alarms.db'}", ManualClock(0)
        self.route = Route("hot", Output("alarm", "too hot", None, tuple(options.items())))
        self.rows: Counter[tuple[str, float]] = Counter()
        self.told: list[Any] = []
        self.alarms = self.begun()
        self.hold()

    def begun(self) -> Alarms:
        self.store = Failing(self.url, self.clock)
        return Alarms(self.store, self.clock, self.told.append, lambda view, row: {"of": [view, *row]})

    def restart(self) -> None:
        self.alarms.close()
        self.alarms = self.begun()
        self.hold()

    def hold(self) -> None:
        rows = tuple(self.rows.items())
        self.alarms.hold(self.route, Snapshot("hot", "", 1, self.clock.now(), COLUMNS, rows))

    def change(self, changes: list[tuple[tuple[str, float], int]]) -> None:
        for row, count in changes:
            self.rows[row] += count
            if not self.rows[row]:
                del self.rows[row]
        try:
            self.alarms.change(self.route, Delta("hot", "", 1, 0, self.clock.now(), tuple(changes)))
        except OSError:
            self.hold()

    def turn(self, minutes: int) -> None:
        self.clock.advance(minutes * MINUTE)
        if self.alarms.turn():
            self.hold()

    def standing(self) -> set[str]:
        return {alarm["row"]["room"] for alarm in self.store.listed(0)}


@given(CHANGES, st.booleans())
def test_what_stands_is_what_the_rows_say(steps, has_key):
    options = {"key": "room"} if has_key else {}
    with TemporaryDirectory() as folder:
        told = Told(Path(folder), **options)
        for minutes, rows, event in steps:
            told.clock.advance(minutes * MINUTE)
            told.store.fails = event == "fails"
            wanted = Counter(dict.fromkeys(rows, 1))
            changes = [(row, -1) for row in told.rows if row not in wanted]
            changes += [(row, 1) for row in wanted if row not in told.rows]
            told.change(changes)
            told.store.fails = False
            if event == "restarts":
                told.restart()
            elif event == "holds":
                told.hold()
            lasting = told.store.listed(0)
            if has_key:
                assert {alarm["row"]["room"] for alarm in lasting} == {room for room, _ in told.rows}
                assert len(lasting) == len({room for room, _ in told.rows})
            else:
                assert {(a["row"]["room"], a["row"]["celsius"]) for a in lasting} == set(told.rows)
                assert len(lasting) == len(told.rows)
            assert told.alarms.count() == len(lasting)
        told.alarms.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def test_with_a_key_a_value_that_changes_is_the_same_alarm(folder: Path) -> None:
    told = Told(folder, key="room")
    told.change([(("1.01", 31.0), 1)])
    told.clock.advance(MINUTE)
    told.change([(("1.01", 31.0), -1), (("1.01", 32.0), 1)])
    (alarm,) = told.store.listed(10)
    assert (alarm["row"]["celsius"], alarm["since"]) == (32.0, 0)
    assert [each["row"]["celsius"] for each in told.told] == [31.0, 32.0]


def test_a_row_is_an_alarm_when_it_has_stood_and_ends_when_it_has_been_gone(folder: Path) -> None:
    told = Told(folder, hold="2 minutes", linger="3 minutes")
    told.change([(("1.01", 31.0), 1)])
    told.turn(1)
    assert told.standing() == set()
    told.turn(2)
    assert told.standing() == {"1.01"}
    told.change([(("1.01", 31.0), -1)])
    told.turn(2)
    assert told.standing() == {"1.01"}
    told.turn(1)
    (alarm,) = told.store.listed(10)
    assert (alarm["since"], alarm["until"]) == (2 * MINUTE, 6 * MINUTE)


def test_one_that_flaps_is_one_and_says_so(folder: Path) -> None:
    told = Told(folder, flaps="3 in 10 minutes")
    for _ in range(6):
        told.change([(("1.01", 31.0), 1)])
        told.turn(1)
        told.change([(("1.01", 31.0), -1)])
        told.turn(1)
    assert len(told.store.listed(10)) == 3
    assert [alarm["flaps"] for alarm in told.store.listed(10)] == [True, False, False]
    assert told.standing() == {"1.01"}
    told.turn(10)
    assert told.standing() == set()


def test_what_nobody_acknowledges_is_escalated_once(folder: Path) -> None:
    told = Told(folder, escalate="5 minutes", escalate_to="chief", notify="desk")
    outbox = Outbox(told.url, told.clock)
    told.change([(("1.01", 31.0), 1), (("1.02", 31.0), 1)])
    first, second = sorted(alarm["id"] for alarm in told.store.listed(0))
    told.store.acknowledge(first, "ada", "on my way")
    for _ in range(4):
        told.turn(3)
    assert [notice["what"] for notice in outbox.of(first)] == ["raised"]
    told_of = [(notice["what"], notice["channel"]) for notice in outbox.of(second)]
    assert told_of == [("raised", "desk"), (ESCALATED, "chief")]
    known = {alarm["id"]: alarm for alarm in told.store.listed(0)}
    assert (known[first]["acknowledged_by"], known[first]["note"]) == ("ada", "on my way")
    assert known[second]["escalated"] == 6 * MINUTE
    outbox.close()


def test_the_first_who_acknowledges_stays_and_a_note_may_follow(folder: Path) -> None:
    told = Told(folder)
    told.change([(("1.01", 31.0), 1)])
    (alarm,) = told.store.listed(0)
    told.store.acknowledge(alarm["id"], "ada")
    later = told.store.acknowledge(alarm["id"], "ben", "a fan is broken")
    assert (later["acknowledged_by"], later["note"]) == ("ada", "a fan is broken")


def test_one_that_is_cleared_is_off_the_list_until_its_row_comes_anew(folder: Path) -> None:
    told = Told(folder)
    told.change([(("1.01", 31.0), 1)])
    (alarm,) = told.store.listed(0)
    told.store.clear(alarm["id"], "ada")
    assert told.standing() == set()
    told.restart()
    told.turn(1)
    assert told.standing() == set()
    with pytest.raises(QueryError, match="does not stand any more"):
        told.store.clear(alarm["id"], "ben")
    told.change([(("1.01", 31.0), -1)])
    told.change([(("1.01", 31.0), 1)])
    assert told.standing() == {"1.01"}
    assert [alarm["cleared_by"] for alarm in told.store.listed(5)] == [None, "ada"]


def test_of_one_that_is_shelved_nobody_is_told_until_the_shelf_is_over(folder: Path) -> None:
    told = Told(folder, notify="desk", escalate="1 minutes", escalate_to="chief")
    outbox = Outbox(told.url, told.clock)
    told.change([(("1.01", 31.0), 1)])
    (alarm,) = told.store.listed(0)
    told.store.shelve(alarm["id"], False, told.clock.now() + 30 * MINUTE, "ada", "the fan is on order")
    told.turn(5)
    assert told.store.listed(0)[0]["shelved"]["reason"] == "the fan is on order"
    assert [notice["what"] for notice in outbox.of(alarm["id"])] == ["raised"]
    told.change([(("1.01", 31.0), -1)])
    told.change([(("1.01", 31.0), 1), (("1.02", 31.0), 1)])
    again, other = sorted(alarm["id"] for alarm in told.store.listed(0))
    assert (len(outbox.of(again)), len(outbox.of(other))) == (0, 1)
    told.turn(31)
    assert sorted(notice["channel"] for notice in outbox.of(again)) == ["chief", "desk"]
    outbox.close()


def test_an_alarm_carries_its_why(folder: Path) -> None:
    told = Told(folder)
    told.change([(("1.01", 31.0), 1)])
    (alarm,) = told.store.listed(0)
    assert alarm["has_why"]
    assert told.store.why(alarm["id"]) == {"of": ["hot", "1.01", 31.0]}
    with pytest.raises(QueryError, match="there is no alarm 99"):
        told.store.why(99)


def test_alarms_of_an_earlier_version_go_on(folder: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{folder / 'alarms.db'}")
    with engine.begin() as connection:
        connection.execute(
            sa.text(
                "CREATE TABLE alarms (id INTEGER PRIMARY KEY, view TEXT NOT NULL, name TEXT NOT NULL, "
                "row TEXT NOT NULL, since BIGINT NOT NULL, until BIGINT)"
            )
        )
        row = json.dumps({"room": "1.01", "celsius": 31.0})
        connection.execute(
            sa.text("INSERT INTO alarms (view, name, row, since) VALUES ('hot', 'too hot', :row, 7)"),
            {"row": row},
        )
    engine.dispose()
    told = Told(folder)
    assert told.standing() == set()
    assert told.store.listed(1)[0]["until"] == 0
    assert told.store.standing().get(Named("hot", "too hot")) is None


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"severity": "hgh"}, "severity is one of low, medium, high, critical, found 'hgh'"),
        ({"hold": "soon"}, "hold of an alarm is a time such as '30 seconds'"),
        ({"linger": "8 days"}, "a week at most"),
        ({"key": "rom"}, "names rom, which is no column; the rows have room, celsius"),
        ({"flaps": "1 in 5 minutes"}, "flaps of an alarm is such as '4 in 10 minutes'"),
        ({"escalate": "5 minutes"}, "escalate and escalate_to of an alarm go together"),
        ({"raised_by": "bad"}, "raised_by of an alarm goes with a key"),
        ({"raised_by": "celsius", "key": "room"}, "is a column that is true or false; celsius is double"),
        ({"holt": "5 s"}, "unknown option holt of an alarm; there are severity, hold"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_is_refused(options: dict[str, str], problem: str) -> None:
    with pytest.raises(QueryError) as refused:
        rule_of(tuple(options.items()), (*COLUMNS, Column("bad", Type.BOOLEAN)))
    assert problem in refused.value.message


def test_options_say_a_rule() -> None:
    said = {
        "severity": "HIGH", "hold": "30 seconds", "linger": "1 minute", "key": "room", "raised_by": "bad",
        "flaps": "4 in 10 minutes", "notify": "desk, chief", "escalate": "15 minutes", "escalate_to": "chief",
    }  # fmt: skip
    wanted = Rule(
        "high",
        MINUTE // 2,
        MINUTE,
        ("room",),
        "bad",
        4,
        10 * MINUTE,
        ("desk", "chief"),
        15 * MINUTE,
        ("chief",),
    )
    assert rule_of(tuple(said.items()), (*COLUMNS, Column("bad", Type.BOOLEAN))) == wanted


def test_around_a_bound_an_alarm_has_two(tmp_path: Path) -> None:
    columns = (*COLUMNS, Column("raises", Type.BOOLEAN))
    route = Route("warm", Output("alarm", "warm", None, (("key", "room"), ("raised_by", "raises"))))
    store = AlarmStore(f"sqlite:///{tmp_path / 'alarms.db'}", ManualClock(0))
    alarms = Alarms(store, ManualClock(0))
    alarms.hold(route, Snapshot("warm", "", 1, 0, columns, ((("1.01", 25.0, False), 1),)))
    counts = [alarms.count()]
    for tick, (old, new) in enumerate([(25.0, 27.0), (27.0, 25.0), (25.0, 26.5), (26.5, 24.5)], 2):
        rows = ((("1.01", old, old > 26), -1), (("1.01", new, new > 26), 1))
        alarms.change(route, Delta("warm", "", tick, tick - 1, tick, rows))
        counts.append(alarms.count())
    alarms.change(route, Delta("warm", "", 9, 8, 9, ((("1.01", 24.5, False), -1),)))
    assert [*counts, alarms.count()] == [0, 1, 1, 1, 1, 0]
    assert len(store.listed(10)) == 1
