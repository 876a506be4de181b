"""A change column makes a poll cheaper, and never wrong: what it cannot show shows at the next full poll."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from engine.model.clock import ManualClock
from ingest.decoding.decoder import Decoder
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.reader import LogReader
from ingest.sources import DatabaseSource, Sources
from ingest.wrapper import SourceState
from ingest.wrappers.database import DatabaseWrapper
from tests.asked_database import run
from tests.fact_tables import empty_sqlite

FULL_EVERY = 5
INSTANTS = ("2026-01-01 00:00:00", "2026-01-01 00:00:01")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    url = (
        str(request.getfixturevalue("postgres")) if request.param == "postgresql" else empty_sqlite(tmp_path)
    )
    run(url, "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, changed TIMESTAMP)")
    return url


class Followed:
    """A wrapper with a change column, what its log says, and which statements it asked."""

    def __init__(self, url: str, folder: Path, column: str = "changed") -> None:
        self.url = url
        self.log = Log(f"sqlite:///{folder}/log.db")
        source = DatabaseSource(
            "facts", url, ("t",), 3_600, change_columns=(("t", column),), full_every=FULL_EVERY
        )
        self.wrapper = DatabaseWrapper(source, ManualClock())
        self.wrapper._ending.set()
        self.writer = LogWriter(self.log)
        self.writer.start()
        self.wrapper.open(self.writer, self.log)
        self.asked: list[str] = []
        sa.event.listen(self.wrapper._engine, "before_cursor_execute", lambda *a: self.asked.append(a[2]))
        self.rows: Counter[tuple[object, ...]] = Counter()
        self._at = 0

    def step(self) -> None:
        self.wrapper.step()
        self.writer.close()
        self.writer = LogWriter(self.log)
        self.wrapper._writer = self.writer
        self.writer.start()
        decoder = Decoder(Sources(), self.wrapper.describe())
        for record in self.log.read(self._at):
            for reading in decoder.decode(record):
                self.rows[reading.row] += reading.sign
            self._at = record.offset

    def said(self) -> list[tuple[object, ...]]:
        assert all(count >= 0 for count in self.rows.values())
        return sorted(row[:2] for row in self.rows.elements())

    def close(self) -> None:
        self.wrapper.close()
        self.writer.close()
        self.log.close()


def test_a_change_within_the_instant_that_was_seen_last_is_seen(facts, tmp_path):
    run(facts, f"INSERT INTO t VALUES (1, 1, '{INSTANTS[0]}')")
    followed = Followed(facts, tmp_path)
    followed.step()
    run(facts, "UPDATE t SET v = 2 WHERE k = 1", f"INSERT INTO t VALUES (2, 7, '{INSTANTS[0]}')")
    followed.step()
    assert followed.said() == [(1, 2), (2, 7)]
    assert any("changed" in text.partition("WHERE")[2] for text in followed.asked)
    followed.close()


def test_what_has_no_time_of_change_is_always_read(facts, tmp_path):
    run(facts, f"INSERT INTO t VALUES (1, 1, '{INSTANTS[0]}'), (2, 2, NULL)")
    followed = Followed(facts, tmp_path)
    followed.step()
    run(facts, "UPDATE t SET v = 9 WHERE k = 2")
    followed.step()
    assert followed.said() == [(1, 1), (2, 9)]
    followed.close()


def test_a_delete_and_an_update_that_hides_show_at_the_next_full_poll(facts, tmp_path):
    run(facts, *(f"INSERT INTO t VALUES ({k}, 0, '{INSTANTS[1]}')" for k in range(3)))
    followed = Followed(facts, tmp_path)
    followed.step()
    run(facts, "DELETE FROM t WHERE k = 0", f"UPDATE t SET v = 5, changed = '{INSTANTS[0]}' WHERE k = 1")
    for _ in range(FULL_EVERY):
        followed.step()
    assert followed.said() == [(1, 5), (2, 0)]
    followed.close()


def test_random_changes_are_followed_at_once_and_deletes_by_the_full_poll(facts, tmp_path):
    random, followed, now = Random(5), Followed(facts, tmp_path), 0
    engine = sa.create_engine(facts)
    for turn in range(60):
        now += random.randint(0, 1)
        at = f"2026-01-01 00:{now // 60:02}:{now % 60:02}"
        with engine.begin() as connection:
            for k in random.sample(range(8), random.randint(0, 3)):
                connection.exec_driver_sql(f"DELETE FROM t WHERE k = {k}")
                connection.exec_driver_sql(f"INSERT INTO t VALUES ({k}, {random.randint(0, 9)}, '{at}')")
            if random.random() < 0.2:
                connection.exec_driver_sql(f"DELETE FROM t WHERE k = {random.randint(0, 7)}")
            there = sorted(tuple(row) for row in connection.exec_driver_sql("SELECT k, v FROM t"))
        followed.step()
        assert set(there) <= set(followed.said()), turn
        if turn % FULL_EVERY == 0:
            assert there == followed.said(), turn
    engine.dispose()
    followed.close()


def test_a_change_column_that_is_none_is_told(facts, tmp_path):
    followed = Followed(facts, tmp_path, column="chnged")
    followed.step()
    assert followed.wrapper.health().state is SourceState.FAILING
    assert (
        "change_column of table t is chnged, which is no column; there are k, v, changed"
        in followed.wrapper.health().problem
    )
    followed.close()


def test_a_unit_that_is_larger_than_a_read_is_read_at_once(tmp_path):
    facts = empty_sqlite(tmp_path)
    rows = 12_000
    run(facts, "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)", "CREATE TABLE u (k INTEGER PRIMARY KEY)")
    many = f"WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {rows}) INSERT INTO"
    run(facts, f"{many} t SELECT k, printf('%0400d', k) FROM n", f"{many} u SELECT k FROM n")
    log = Log(f"sqlite:///{tmp_path}/log.db")
    writer = LogWriter(log)
    writer.start()
    wrapper = DatabaseWrapper(DatabaseSource("facts", facts, ("t", "u"), 3_600), ManualClock())
    wrapper._ending.set()
    wrapper.open(writer, log)
    wrapper.step()
    writer.close()
    reader = LogReader(f"sqlite:///{tmp_path}/log.db", Sources(), wrapper.describe())
    at, batches = 0, []
    while (batch := reader.read(at)).end > at:
        at = batch.end
        batches.append(Counter(reading.relation for reading in batch.readings))
    assert [batch for batch in batches if batch] == [Counter(t=rows, u=rows)]
    wrapper.close()
    log.close()
