"""Where the ranges of a table begin, and which tables can be read so."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from engine.model.errors import SourceError
from ingest.sources import DatabaseSource
from ingest.sources.polled import database_of
from ingest.wrappers.database.ranges.cutting import KeyRange, cut, place_of, ranges_between
from ingest.wrappers.database.ranges.share import checked
from ingest.wrappers.database.schema import reflect_database
from tests.asked_database import run
from tests.fact_tables import empty_sqlite
from tests.ranged_tables import KINDS, facts_of, inserted


@pytest.fixture(params=KINDS)
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return facts_of(request, tmp_path)


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
