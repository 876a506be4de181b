"""Tables in ranges whose schema or values are not what they were: what does not fit stands, and is told."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.wrapper import SourceState
from tests.asked_database import run
from tests.fact_tables import empty_sqlite
from tests.ranged_tables import CREATE, KINDS, UNFIT, Followed, facts_of, inserted


@pytest.fixture(params=KINDS)
def facts(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return facts_of(request, tmp_path)


@pytest.fixture
def followed(facts: str, tmp_path: Path) -> Iterator[Followed]:
    found = Followed(facts, tmp_path)
    yield found
    found.close()


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
