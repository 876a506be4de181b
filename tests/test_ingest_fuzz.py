"""Hostile payloads and topics: no crash, no hang, and each becomes what an oracle of its own says it must."""

import json
import math
import sys
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError
from tests.payload_fuzz import HEADS, Tally, fuzz, fuzz_devices
from tests.payload_hostility import NUMBERS, Hostile
from tests.payload_reader import Number, Refused, nearest, read

QUICK, ALL = 3_000, 100_000


def check_variety(found: Tally, cases: int) -> None:
    """Each stream has rows and rejects, enough of both to mean something."""
    for name in HEADS:
        assert found.rows[name] > cases / 100, name
        assert found.rejects[name] > cases / 100, name


def test_hostile_messages_become_what_they_must(capsys: pytest.CaptureFixture[str]) -> None:
    found = fuzz(QUICK, seed=11)
    check_variety(found, QUICK)
    with capsys.disabled():
        sys.stdout.write(f"\n{found.summary()}\n")


def test_hostile_announcements_and_states_become_typed_rows_or_rejects() -> None:
    found = fuzz_devices(QUICK, seed=12)
    assert found.rows["devices"]
    assert found.rows["measurements"]
    assert found.rejects["rejects"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(4))
def test_a_hundred_thousand_hostile_messages_become_what_they_must(seed: int) -> None:
    check_variety(fuzz(ALL // 4, seed), ALL // 4)
    fuzz_devices(ALL // 4, seed)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-400, 400))
def test_the_oracle_finds_the_nearest_double_as_python_does(value: float, exponent: int) -> None:
    assert nearest(repr(value)) == value
    assert nearest(f"{value:.3e}") == float(f"{value:.3e}")
    assert nearest(f"17.5e{exponent}") == float(f"17.5e{exponent}")


def test_the_oracle_reads_what_is_hostile_as_python_does() -> None:
    """Where both are asked about the same text and no bound of ours is met."""
    hostile = Hostile(Random(5))
    for _ in range(3_000):
        text = hostile.value()
        try:
            found = read(text)
        except Refused:
            with pytest.raises(FieldError):
                parse(text.encode("utf-8"))
            continue
        assert as_python(found) == parse(text.encode("utf-8"))


def as_python(found: object) -> object:
    if isinstance(found, Number):
        return int(found) if found.is_whole else nearest(found)
    if isinstance(found, list):
        return [as_python(each) for each in found]
    return {key: as_python(each) for key, each in found.items()} if isinstance(found, dict) else found


def test_nesting_is_bounded_by_a_number_of_ours_wherever_it_is_decoded() -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        assert parse((opening * 100 + "1" + closing * 100).encode())
        for deep in (101, 600, 100_000):
            with pytest.raises(FieldError, match="nested too deeply; at most 100"):
                parse((opening * deep + "1" + closing * deep).encode())
    flat = json.dumps([[1]] * 1_000 + ["[" * 500])
    assert len(parse(flat.encode())) == 1_001


def test_among_the_numbers_there_are_those_beyond_a_double() -> None:
    assert any(math.isinf(nearest(number)) for number in NUMBERS)
