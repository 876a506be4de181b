"""Tables of a database that are read in ranges: the log is told what they are, whatever is lost meanwhile."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from engine.partitions.hashing import Partition
from engine.partitions.in_place import InPlace
from engine.partitions.orders import Order, Parcel
from engine.partitions.round import Round
from ingest.log.writer import LogWriter
from ingest.wrapper import SourceState
from ingest.wrappers.database import DatabaseWrapper
from ingest.wrappers.database.ranges import scanning, share, telling
from tests.asked_database import run
from tests.environment.waiting import until
from tests.fact_tables import empty_sqlite
from tests.forgetful_shares import Forgetful
from tests.ranged_tables import CREATE, KINDS, UNFIT, Followed, facts_of, inserted


@pytest.fixture(params=KINDS)
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return facts_of(request, tmp_path)


@pytest.fixture
def followed(facts: str, tmp_path: Path) -> Iterator[Followed]:
    found = Followed(facts, tmp_path)
    yield found
    found.close()


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
    followed.ranged.stop()
    followed.carry = partial(Forgetful, 3, each)
    followed.begin()
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
