"""Values as JSON: nothing is rounded, nothing breaks a parser."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import present
from engine.model.relation import Column
from engine.model.values import SCALARS, Type, Value
from engine.plan.expressions import Call, Field
from engine.plan.logical import SortKey
from engine.views.view import Delta, Snapshot

TYPED = {
    Type.BIGINT: st.integers(-(2**63), 2**63 - 1),
    Type.DOUBLE: st.floats(),
    Type.BOOLEAN: st.booleans(),
    Type.TEXT: st.text(),
    Type.TIMESTAMP: st.integers(-(2**63), 2**63 - 1),
}


def shown(value: Value, kind: Type) -> object:
    shape = (Column("c", kind),)
    return present.delta(Delta("v", "r", 2, 1, 0, (((value,), 1),)), shape)["changes"][0][1][0]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (7, Type.BIGINT, 7),
        (2**53, Type.BIGINT, 2**53),
        (2**53 + 1, Type.BIGINT, "9007199254740993"),
        (-(2**63), Type.BIGINT, "-9223372036854775808"),
        (1.5, Type.DOUBLE, 1.5),
        (float("nan"), Type.DOUBLE, "NaN"),
        (float("inf"), Type.DOUBLE, "Infinity"),
        (float("-inf"), Type.DOUBLE, "-Infinity"),
        (0, Type.TIMESTAMP, "1970-01-01T00:00:00.000000Z"),
        (1_700_000_000_123_456, Type.TIMESTAMP, "2023-11-14T22:13:20.123456Z"),
        (-1, Type.TIMESTAMP, "1969-12-31T23:59:59.999999Z"),
        (2**62, Type.TIMESTAMP, str(2**62)),
        (True, Type.BOOLEAN, True),
        ("<b>", Type.TEXT, "<b>"),
        *((None, kind, None) for kind in SCALARS),
    ],
)
def test_a_value_is_shown_as(value: Value, kind: Type, expected: object) -> None:
    assert shown(value, kind) == expected


@given(st.sampled_from(SCALARS).flatmap(lambda kind: st.tuples(TYPED[kind], st.just(kind))))
def test_whatever_a_column_holds_is_strict_json(cell: tuple[Value, Type]) -> None:
    text = json.dumps(shown(*cell), allow_nan=False)
    back = json.loads(text, parse_float=float)
    assert not isinstance(back, int) or abs(back) <= 2**53


def test_a_snapshot_repeats_a_row_as_often_as_it_is_there() -> None:
    found = Snapshot("v", "r", 3, 9, (Column("c", Type.TEXT),), ((("a",), 2), (("b",), 1)))
    message = present.snapshot(found)
    assert message["rows"] == [["a"], ["a"], ["b"]]
    assert message["columns"] == [{"name": "c", "type": "text"}]
    assert (message["run"], message["tick"], message["at"]) == ("r", 3, 9)


def test_a_snapshot_says_by_which_columns_its_rows_are_ordered() -> None:
    x = Field(0, Type.BIGINT)
    keys = (
        SortKey(x, descending=True, nulls_first=True),
        SortKey(Call("negate", (x,), Type.BIGINT)),
        SortKey(x),
    )
    first = {"column": 0, "descending": True, "nulls_first": True}
    snapshot = Snapshot("v", "r", 1, 2, (Column("x", Type.BIGINT),), (((1,), 2),), keys)
    assert present.snapshot(snapshot)["order"] == [first]
    assert present.snapshot(snapshot._replace(order=()))["order"] == []
