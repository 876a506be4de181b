"""A window that rules say by comparing times is found where it is one, and nowhere else."""

import pytest

from engine.lang.datalog.declared import checked
from engine.lang.datalog.windows import maybe_length

DECLARED = ".decl s(a:symbol, t:number) input\n.decl r(a:symbol, t:number, n:number) output\n"


def length(rules: str) -> int | None:
    return maybe_length([each.rule for each in checked(DECLARED + rules).rules], "s", 1)


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ("n - 5 < t, t <= n", 5), ("t > n - 5, n >= t", 5), ("n < t + 5, t < n", 5), ("n - t < 5, t <= n", 5),
        ("n - 5 <= t, t <= n", 6), ("n - 5 < t, t <= n, n - 3 < t", 3), ("n - 5 < t", None), ("t <= n", None),
        ("n - t < t, t <= n", None), ("n + 5 < t, t <= n", None), ("n - 2 * t < 5, t <= n", None),
    ],
)  # fmt: skip
def test_conditions_say_a_window_of_a_length(conditions, found):
    assert length(f"r(a, t, n) :- s(a, t), s(_, n), {conditions}.") == found


@pytest.mark.parametrize(
    "rules",
    [
        "r(a, t, n) :- s(a, t), s(_, n), n - 5 < t, t <= n, !s(a, n).",
        "r(a, t, n) :- s(a, t), s(b, n), b != a, n - 5 < t, t <= n.",
        "r(a, t, n) :- s(a, t), s(_, n), n - 5 < t, t <= n. r(a, t, t) :- s(a, t).",
        "r(a, t, n) :- s(a, t), n = max m : { s(_, m) }.",
    ],
)
def test_a_stream_that_is_also_read_otherwise_has_none(rules):
    assert length(rules) is None


def test_of_several_windows_the_longest_is_kept():
    window = "r(a, t, n) :- s(a, t), s(_, n), n - {} < t, t <= n.\n"
    assert length(window.format(5) + window.format(9)) == 9
