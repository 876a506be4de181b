"""What the command line prints of a query that is followed."""

import json

import pytest

from app.queries import show

STATE = {"columns": [{"name": "room", "type": "text"}], "tick": 7, "rows": [["1.01"]], "missing": ["floor-2"]}


def test_a_followed_query_says_which_sites_it_is_without(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (STATE, {"missing": ["floor-1", "floor-2"]}, {"missing": []}, {**STATE, "missing": []}):
        show(json.dumps(line))
    out, err = capsys.readouterr()
    assert out.split("\n") == ["room", "1.01", "room", "1.01", ""]
    assert err.split("\n") == [
        "-- 1 rows at tick 7  without floor-2; changes follow, Ctrl-C ends",
        "--  without floor-1, floor-2",
        "--  whole again",
        "-- 1 rows at tick 7; changes follow, Ctrl-C ends",
        "",
    ]
