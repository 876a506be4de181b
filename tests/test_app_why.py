"""Why, asked over HTTP and on the command line: the row is found, or what there is instead is said."""

import pytest

from app.told import explained
from app.why import answer, maybe_row
from engine.model.errors import QueryError
from tests.memory_engine import MemoryEngine


@pytest.fixture
def engine():
    made = MemoryEngine()
    made.close_tick(1, free_desks=[(("1.01", 3), 1), (("1.02", 3), 1)])
    return made


def test_maybe_row_is_found_by_what_is_said_of_it(engine):
    assert maybe_row(engine.snapshot("free_desks"), {"room": "1.02"}) == ("1.02", 3)
    assert maybe_row(engine.snapshot("free_desks"), {"room": "1.01", "free": 3}) == ("1.01", 3)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"rom": "1.01"}, "free_desks has no column rom; it has room, free; did you mean room?"),
        (
            {"room": "9"},
            "free_desks has no row with room = 9 as of tick 1; "
            "to be told why not, say every column: room, free",
        ),
        ({"free": "3"}, "free_desks has more than one row with free = 3: room=1.01, free=3; room=1.02"),
        ({}, "free_desks has more than one row: "),
    ],
)
def test_anything_else_is_one_message(engine, where, said):
    with pytest.raises(QueryError) as caught:
        maybe_row(engine.snapshot("free_desks"), where)
    assert said in caught.value.message


def test_an_answer_is_said_in_lines(engine):
    found = answer(engine, "free_desks", {"room": "1.01"})
    assert list(explained(found)) == [
        f"free_desks(1.01, 3) as of tick {found['tick']} stands on",
        "  free_desks(1.01, 3)",
        "It would go if these went: free_desks(1.01, 3)",
    ]


def test_a_row_that_is_not_there_is_told_by_what_is_missing(engine):
    found = answer(engine, "free_desks", {"room": "9", "free": "2"})
    assert list(explained(found)) == [
        "free_desks has no row (9, 2) as of tick 1",
        "  no row of free_desks with room=9, free=2",
    ]


def test_a_value_of_another_type_is_refused(engine):
    with pytest.raises(QueryError, match="free is a bigint, found many"):
        answer(engine, "free_desks", {"room": "9", "free": "many"})


def test_a_value_of_another_type_is_refused_before_it_is_looked_for(engine):
    with pytest.raises(QueryError, match="free is a bigint, found many"):
        answer(engine, "free_desks", {"free": "many"})
