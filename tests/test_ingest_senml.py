"""SenML: the examples of RFC 8428 resolve as it says; a pack that breaks a rule is refused with the rule."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.decoding.senml import resolved
from ingest.decoding.values import FieldError

EXAMPLES = sorted((Path(__file__).parent / "golden" / "senml").glob("*.senml"))
NOW = 1_500_000_000


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_of_the_rfc_resolves_as_it_says(example: Path) -> None:
    sent, _, expected = example.read_text("utf-8").partition("---\n")
    (received,) = re.findall(r"# received at (\d+) s", sent)
    pack = [json.loads(line) for line in sent.splitlines() if not line.startswith("#")]
    assert resolved(pack, int(received) * 1_000_000) == [json.loads(line) for line in expected.splitlines()]


def test_the_examples_of_the_rfc_are_all_there() -> None:
    assert len(EXAMPLES) == 13


@pytest.mark.parametrize(
    ("pack", "expected"),
    [
        ({}, "payload is an object; expected a SenML pack, an array of 1 to 10000 records"),
        ([], "payload is 0 records; expected a SenML pack"),
        ([{"n": "a", "v": 1}] * 10_001, "payload is 10001 records"),
        ([{"n": "a", "v": 1}, 5], "SenML record 2: is a number; expected an object"),
        ([{"n": "a", "v": "1"}], "v is '1'; expected a finite number"),
        ([{"n": "a", "v": True}], "v is true; expected a finite number"),
        ([{"n": "a", "vb": 1}], "vb is 1; expected true or false"),
        ([{"n": "a", "vs": 1}], "vs is 1; expected text"),
        ([{"n": "a", "vd": "a+/"}], "vd is 'a+/'; expected base64 in the alphabet for URLs"),
        ([{"n": "a", "vd": "aaaaa"}], "vd is 'aaaaa'"),
        ([{"bt": None, "n": "a", "v": 1}], "bt is None; expected a finite number"),
        ([{"n": "a"}], "has no value; expected one of v, vs, vb, vd"),
        ([{"n": "a", "v": 1, "vs": "x"}], "has v and vs; expected one of"),
        ([{"v": 1}], "the name is ''; expected letters, digits and - : . / _"),
        ([{"n": "ä", "v": 1}], "the name is 'ä'"),
        ([{"n": "_a", "v": 1}], "the name is '_a'"),
        ([{"bn": "a" * 990, "n": "b" * 11, "v": 1}], "the name is 'aaa"),
        ([{"bver": 11, "n": "a", "v": 1}], "bver is 11; expected a version up to 10"),
        (
            [{"bver": 5, "n": "a", "v": 1}, {"bver": 10, "n": "a", "v": 1}],
            "SenML record 2: its version is not",
        ),
        ([{"n": "a", "v": 1, "lock_": 1}], "has 'lock_', which must be understood and is not"),
        ([{"bv": 1.7e308, "n": "a", "v": 1.7e308}], "a sum is beyond a double; expected less"),
    ],
)
def test_a_pack_that_breaks_a_rule_is_refused_with_the_rule(pack: object, expected: str) -> None:
    with pytest.raises(FieldError) as caught:
        resolved(pack, NOW * 1_000_000)
    assert expected in str(caught.value)


def test_what_is_not_known_and_need_not_be_is_ignored() -> None:
    (record,) = resolved([{"n": "a", "v": 1, "precision": 2, "": {}}], NOW * 1_000_000)
    assert record == {"n": "a", "t": NOW, "v": 1, "base": "a"}


hundredths = st.integers(-10_000, 10_000).map(lambda n: n / 100)
records = st.fixed_dictionaries(
    {"n": st.sampled_from(["a", "b"]), "v": hundredths},
    optional={
        "bn": st.sampled_from(["x:", "y/", ""]),
        "bt": st.integers(0, 1 << 30),
        "bu": st.sampled_from(["W", "Cel"]),
        "bv": hundredths,
        "u": st.just("lx"),
        "t": st.integers(-100, 100),
    },
)


@given(st.lists(records, min_size=1, max_size=6))
def test_each_record_stands_by_what_the_last_base_fields_before_it_said(
    pack: list[dict[str, object]],
) -> None:
    """Found by looking back from each record, and summed as fractions of what is written."""
    for at, record in enumerate(resolved(pack, NOW * 1_000_000)):
        before = pack[: at + 1]

        def last(label: str, otherwise: object, before: list[dict[str, object]] = before) -> object:
            return next((each[label] for each in reversed(before) if label in each), otherwise)

        time = last("bt", 0) + pack[at].get("t", 0)
        assert record["n"] == f"{last('bn', '')}{pack[at]['n']}"
        assert record["t"] == time + (NOW if time < 1 << 28 else 0)
        assert record["v"] == float(Fraction(str(last("bv", 0))) + Fraction(str(pack[at]["v"])))
        assert record.get("u") == pack[at].get("u", last("bu", None))
