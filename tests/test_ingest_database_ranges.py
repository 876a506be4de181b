"""Tables of a database that are read in ranges: the log is told what they are, whatever is lost meanwhile."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from engine.partitions.hashing import Partition
from engine.partitions.in_place import InPlace
from engine.partitions.lost import Lost
from engine.partitions.orders import Order, Parcel
from engine.partitions.round import Round
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import DatabaseSource
from ingest.sources.polled import database_of
from ingest.wrapper import SourceState
from ingest.wrappers.database import DatabaseWrapper
from ingest.wrappers.database.ranges import scanning, share, telling
from ingest.wrappers.database.ranges.cutting import KeyRange, cut, place_of, ranges_between
from ingest.wrappers.database.ranges.polling import RangedDatabase
from ingest.wrappers.database.ranges.share import checked
from ingest.wrappers.database.schema import reflect_database
from tests.asked_database import run
from tests.environment.waiting import until
from tests.fact_tables import empty_sqlite

COLUMNS = "site INTEGER NOT NULL, tag VARCHAR(9) NOT NULL, worth INTEGER"
CREATE = f"CREATE TABLE assets ({COLUMNS}, PRIMARY KEY (site, tag))"

UNFIT = (
    "table {}, row site {}, tag {!r}: column worth holds {!r}; expected bigint; "
    "what was read before stands until that is mended"
)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_server = request.param == "postgresql"
    url = str(request.getfixturevalue("postgres")) if is_server else empty_sqlite(tmp_path)
    run(url, CREATE)
    return url


class Forgetful(InPlace):
    """Loses its shares in one round of so many."""

    each = 0

    def __init__(self, partitions: int = 3) -> None:
        super().__init__(partitions)
        self.made = count(1)

    def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round:
        if self.each and not next(self.made) % self.each:
            message = "an executor is gone"
            raise Lost(message)
        return super().round(order, parcels)


class Followed:
    """A database with one table in ranges, and what a reader of the log makes of it."""

    def __init__(
        self,
        url: str,
        folder: Path,
        carry: Callable[[], InPlace] = Forgetful,
        tables: tuple[str, ...] = ("assets",),
    ) -> None:
        self.source = DatabaseSource("facts", url, (), 3_600, in_ranges=tables)
        self.log = Log(f"sqlite:///{folder}/log.db")
        self.url, self._carry, self._at = url, carry, 0
        self.rows: dict[tuple[int, str], int | str | None] = {}
        self.rejects: list[str] = []
        self.entries = self.interrupted = 0
        self.begin()

    def begin(self) -> None:
        self.ranged = RangedDatabase(self.source, reflect_database(self.source), self.log, self._carry)

    def poll(self) -> int:
        changed = self.ranged.poll()
        self.read()
        return changed

    def problem(self) -> str:
        self.ranged._report()
        return self.ranged.problem

    def read(self) -> None:
        """Fold the log, in which a row that goes must be there."""
        for record in self.log.read(self._at):
            self._at = record.offset
            body = json.loads(record.payload)
            self.entries += 1
            if "reject" in body:
                self.rejects.append(body["reject"]["reason"])
            for sign, _, row in body.get("changes", ()):
                key = row["site"], row["tag"]
                if sign > 0:
                    self.rows[key] = row["worth"]
                elif self.rows.get(key) == row["worth"]:
                    self.rows.pop(key, None)

    def there(self) -> dict[tuple[int, str], int | None]:
        engine = sa.create_engine(self.url)
        with engine.connect() as connection:
            found = {(a, b): c for a, b, c in connection.exec_driver_sql("SELECT * FROM assets")}
        engine.dispose()
        return found

    def close(self) -> None:
        self.ranged.stop()
        self.log.close()


@pytest.fixture
def followed(facts: str, tmp_path: Path) -> Iterator[Followed]:
    found = Followed(facts, tmp_path)
    yield found
    found.close()


def inserted(rows: Sequence[tuple[int, str, int]]) -> str:
    values = ", ".join(f"({site}, '{tag}', {worth})" for site, tag, worth in rows)
    return f"INSERT INTO assets VALUES {values}"


def scrambled(random: Random) -> list[str]:
    """Statements that change the table at random."""
    found = []
    for _ in range(random.randint(1, 4)):
        site, tag = random.randint(-3, 40), random.choice("abc")
        match random.choice(["put", "put", "change", "go", "move"]):
            case "put":
                found += [f"DELETE FROM assets WHERE site = {site} AND tag = '{tag}'"]
                found += [inserted([(site, tag, random.randint(0, 9))])]
            case "change":
                worth = random.choice(["worth + 1", "NULL"])
                found += [f"UPDATE assets SET worth = {worth} WHERE site < {site}"]
            case "go":
                found += [f"DELETE FROM assets WHERE site = {site}"]
            case "move":
                found += [f"UPDATE assets SET site = site + 100 WHERE site = {site}"]
    return found


@pytest.mark.parametrize("each", [0, 11])
def test_the_log_is_told_what_the_table_is_whatever_changes_and_is_lost(
    followed: Followed, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "AT_ONCE", 2)
    monkeypatch.setattr(share, "PART", 5)
    monkeypatch.setattr(scanning, "FEW", 3)
    monkeypatch.setattr(Forgetful, "each", each)
    random = Random(f"{followed.url.partition(':')[0]} {each}")
    for turn in range(25):
        run(followed.url, *scrambled(random))
        polled(followed)
        assert followed.rows == followed.there()
        if turn % 8 == 7:
            followed.ranged.stop()
            followed.begin()
    assert followed.rows
    assert bool(followed.interrupted) == bool(each)
    entries = followed.entries
    assert polled(followed) == 0
    assert followed.entries == entries


def polled(followed: Followed) -> int:
    """Poll until no range is lost before all is told, which takes no more turns than there is to tell."""
    changed = 0
    for _ in range(20):
        changed += followed.poll()
        if not followed.problem():
            return changed
        assert "were lost: an executor is gone; going on with the next poll" in followed.problem()
        followed.interrupted += 1
    raise AssertionError


def test_what_was_read_in_ranges_may_be_polled_whole_and_the_other_way_round(followed: Followed) -> None:
    for turn in range(4):
        run(followed.url, *scrambled(Random(turn)), inserted([(50 + turn, "z", turn)]))
        if turn % 2:
            polled_whole(followed)
            followed.read()
        else:
            followed.begin()
            followed.poll()
        assert followed.rows == followed.there()


def polled_whole(followed: Followed, *, is_apart: bool = False) -> None:
    wrapper = DatabaseWrapper(replace(followed.source, is_apart=is_apart), ManualClock(5))
    writer = LogWriter(followed.log)
    writer.start()
    wrapper._ending.set()
    wrapper.open(writer, followed.log)
    wrapper.step()
    wrapper.close()
    writer.close()


def test_the_acquisition_leaves_alone_what_is_read_in_ranges_by_somebody_else(followed: Followed) -> None:
    run(followed.url, inserted([(1, "a", 1), (2, "b", 2)]))
    followed.poll()
    polled_whole(followed, is_apart=True)
    followed.read()
    assert followed.rows == {(1, "a"): 1, (2, "b"): 2}
    assert followed.poll() == 0


@pytest.mark.integration
def test_a_change_across_ranges_is_seen_whole_while_others_write(postgres: str, tmp_path: Path) -> None:
    run(postgres, CREATE)
    followed = Followed(postgres, tmp_path)
    run(followed.url, inserted([(n, "a", 100) for n in range(30)]))
    ending, engine = threading.Event(), sa.create_engine(followed.url)

    def move() -> None:
        random = Random(5)
        while not ending.is_set():
            one, other = random.sample(range(30), 2)
            with engine.begin() as connection:
                connection.exec_driver_sql(f"UPDATE assets SET worth = worth - 1 WHERE site = {one}")
                connection.exec_driver_sql(f"UPDATE assets SET worth = worth + 1 WHERE site = {other}")

    mover = threading.Thread(target=move)
    mover.start()
    changed = 0
    try:
        for _ in range(15):
            changed += followed.poll()
            assert sum(worth or 0 for worth in followed.rows.values()) == 3_000
    finally:
        ending.set()
        mover.join()
        engine.dispose()
    assert changed > 30
    followed.close()


def test_a_database_that_is_written_to_whenever_it_is_read_is_told_of(tmp_path: Path) -> None:
    url = empty_sqlite(tmp_path)
    run(url, CREATE)
    numbers = count(1)

    class Disturbed(InPlace):
        def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round:
            run(url, inserted([(next(numbers), "a", 1)]))
            return super().round(order, parcels)

    followed = Followed(url, tmp_path, Disturbed)
    with pytest.raises(SourceError, match="is written to whenever it is read, 3 times in a row"):
        followed.poll()
    assert followed.rows == {}
    followed.close()


def test_a_value_that_its_column_cannot_hold_is_rejected_once_and_the_rest_stands(tmp_path: Path) -> None:
    url = empty_sqlite(tmp_path)
    run(url, CREATE, inserted([(1, "a", 1), (2, "b", 2)]))
    followed = Followed(url, tmp_path)
    followed.poll()
    run(url, "UPDATE assets SET worth = 'many' WHERE site = 2")
    followed.source = replace(followed.source, poll_seconds=0.05)
    followed.begin()
    followed.ranged.start()
    until(lambda: "column worth holds 'many'" in followed.ranged.problem, 10, "the trouble to be told")
    threading.Event().wait(0.3)
    followed.read()
    assert followed.rejects == [UNFIT.format("assets", 2, "b", "many")]
    assert followed.rows == {(1, "a"): 1, (2, "b"): 2}
    run(url, "UPDATE assets SET worth = 3 WHERE site = 2")
    until(lambda: followed.ranged.state is SourceState.LIVE, 10, "it to go on")
    followed.read()
    assert followed.rows[2, "b"] == 3
    followed.close()


def test_a_table_that_is_gone_is_told_of_and_stands(followed: Followed) -> None:
    run(followed.url, inserted([(1, "a", 1)]))
    followed.poll()
    run(followed.url, "ALTER TABLE assets RENAME TO away")
    followed.poll()
    stands = "table assets stands as it was read last: it is gone; it goes on when it is back"
    assert followed.problem() == stands
    assert followed.rows == {(1, "a"): 1}
    run(followed.url, "ALTER TABLE away RENAME TO assets", "UPDATE assets SET worth = 2")
    followed.poll()
    assert followed.problem() == ""
    assert followed.rows == {(1, "a"): 2}


def test_a_column_that_is_new_is_told_and_one_that_is_another_has_its_table_stand(followed: Followed) -> None:
    run(followed.url, inserted([(1, "a", 1)]))
    followed.poll()
    run(followed.url, "ALTER TABLE assets ADD COLUMN more INTEGER", "UPDATE assets SET worth = 2")
    followed.poll()
    assert followed.rows == {(1, "a"): 2}
    assert (
        followed.problem() == "table assets: column more is new; the next start of SmartCIS reads it as it is"
    )
    assert followed.ranged.state is SourceState.LIVE
    run(followed.url, "ALTER TABLE assets RENAME COLUMN worth TO value", "UPDATE assets SET value = 3")
    followed.poll()
    assert "table assets stands as it was read last: column worth is gone (new: value" in followed.problem()
    assert followed.ranged.state is SourceState.FAILING
    assert followed.rows == {(1, "a"): 2}
    assert len(followed.rejects) == 1
    run(followed.url, "ALTER TABLE assets RENAME COLUMN value TO worth")
    followed.poll()
    assert followed.rows == {(1, "a"): 3}


def test_a_table_with_another_key_stands_and_the_next_start_reads_it_as_it_is(followed: Followed) -> None:
    run(followed.url, inserted([(1, "a", 1), (2, "b", 2)]))
    followed.poll()
    other = CREATE.replace("worth INTEGER", "worth INTEGER NOT NULL").replace(
        "(site, tag)", "(site, tag, worth)"
    )
    run(followed.url, "DROP TABLE assets", other, inserted([(1, "a", 1), (1, "a", 5), (3, "c", 3)]))
    followed.poll()
    assert "its key was site, tag and is site, tag, worth" in followed.problem()
    assert followed.rows == {(1, "a"): 1, (2, "b"): 2}
    counted: Counter[tuple[int, str, int]] = Counter()
    for _ in range(2):
        followed.ranged.stop()
        followed.begin()
        followed.poll()
        assert followed.problem() == ""
    for record in followed.log.read(0):
        for sign, _, row in json.loads(record.payload).get("changes", ()):
            counted[row["site"], row["tag"], row["worth"]] += sign
    assert +counted == {(1, "a", 1): 1, (1, "a", 5): 1, (3, "c", 3): 1}


def test_a_column_of_another_type_is_read_as_it_is_by_the_next_start(followed: Followed) -> None:
    run(followed.url, inserted([(1, "a", 1), (2, "b", 2)]))
    followed.poll()
    other = CREATE.replace("worth INTEGER", "worth VARCHAR(9)")
    run(followed.url, "DROP TABLE assets", other, "INSERT INTO assets VALUES (1, 'a', 'one')")
    followed.poll()
    assert "column worth was bigint and is text" in followed.problem()
    followed.ranged.stop()
    followed.begin()
    followed.poll()
    assert followed.rows[1, "a"] == "one"
    assert list(followed.log.said_of("db:facts", "assets")) == [
        ('["assets", [1, "a"]]', '{"site": 1, "tag": "a", "worth": "one"}')
    ]


def test_a_table_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    url = empty_sqlite(tmp_path)
    run(url, CREATE, CREATE.replace("assets", "others"), inserted([(1, "a", 1)]))
    run(url, "INSERT INTO others VALUES (1, 'a', 'much')")
    followed = Followed(url, tmp_path, tables=("others", "assets"))
    assert followed.poll() == 1
    assert followed.rows == {(1, "a"): 1}
    assert followed.problem() == UNFIT.format("others", 1, "a", "much")
    followed.close()


def test_keys_that_are_nothing_are_in_a_range_and_those_that_are_text_are_refused(tmp_path: Path) -> None:
    url = empty_sqlite(tmp_path)
    run(url, CREATE.replace(" NOT NULL", ""), inserted([(n, "a", n) for n in range(9)]))
    followed = Followed(url, tmp_path)
    run(url, "INSERT INTO assets VALUES (NULL, 'b', 1), (4, NULL, 2)")
    for _ in range(2):
        followed.poll()
        assert len(followed.rows) == 11
        assert followed.rows == followed.there()
        followed.ranged.stop()
        followed.begin()
    run(url, "INSERT INTO assets VALUES ('four', 'c', 3)")
    followed.poll()
    assert "column site holds 'four'; expected bigint" in followed.problem()
    followed.close()


# What is declared


def test_a_table_in_ranges_needs_a_key_that_begins_with_a_whole_number(tmp_path: Path) -> None:
    url = empty_sqlite(tmp_path)
    run(url, "CREATE TABLE tags (tag VARCHAR(9) PRIMARY KEY)")
    database = DatabaseSource("facts", url, (), in_ranges=("tags",))
    with pytest.raises(SourceError, match=r"begins with tag, a text; expected a whole number\. Name"):
        reflect_database(database)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"in_ranges": ["a", "b", "a"]}, "has a twice in in_ranges; take it out once"),
        ({"tables": ["a"], "in_ranges": ["a"]}, "has a both in tables and in in_ranges"),
        ({"poll_seconds": 0, "in_ranges": ["a"]}, "it has in_ranges, which is asked again and again"),
        ({"in_ranges": "a"}, "in_ranges"),
    ],
)
def test_a_wrong_declaration_is_refused(spec: dict[str, Any], said: str) -> None:
    with pytest.raises(SourceError, match=said):
        database_of("facts", {"url": "sqlite://", **spec})


# Ranges


def test_every_key_is_in_one_range() -> None:
    for bounds in ([], [3], [-5, 0, 7]):
        ranges = ranges_between(bounds, 4)
        assert len(ranges) == 4
        for key in range(-8, 10):
            inside = [
                number
                for number, (low, high) in enumerate(ranges)
                if (low is None or key >= low) and (high is None or key < high)
            ]
            assert inside == [place_of(ranges, key)]


def test_ranges_have_as_many_rows_each_as_can_be(facts: str) -> None:
    (relation,) = reflect_database(DatabaseSource("facts", facts, (), in_ranges=("assets",)))
    engine = sa.create_engine(facts)
    with engine.connect() as connection:
        assert cut(connection, relation, 3) == (KeyRange(None, None), KeyRange(0, 0), KeyRange(0, 0))
    run(facts, inserted([(n * n, "a", 1) for n in range(30)]))
    with engine.connect() as connection:
        ranges = cut(connection, relation, 3)
    engine.dispose()
    counts = [sum(place_of(ranges, n * n) == number for n in range(30)) for number in range(3)]
    assert counts == [10, 10, 10]


def test_a_snapshot_s_name_can_say_nothing_else() -> None:
    assert checked("00000003-0000001B-1") == "00000003-0000001B-1"
    with pytest.raises(SourceError):
        checked("0'; DROP TABLE assets; --")
