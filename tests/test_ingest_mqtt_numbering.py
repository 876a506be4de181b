"""Numbers that senders give: what came before is known, what is missing counted, nothing new dropped."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wrappers.mqtt.numbering import AHEAD, NEW, REPEATED, WINDOW, Naming, Numbering, Verdict


def judged(sender: Numbering, *numbers: int) -> list[Verdict]:
    return [sender.take(number, number % 97 + 1) for number in numbers]


def test_numbers_in_turn_are_new_and_lack_nothing() -> None:
    assert judged(Numbering(), *range(5, 2_000)) == [NEW] * 1_995


def test_what_is_left_out_is_missing_until_it_comes_late() -> None:
    assert [found.missing for found in judged(Numbering(), 1, 2, 6, 4, 5, 7, 3)] == [0, 0, 3, -1, -1, 0, -1]


def test_a_number_with_its_content_of_then_came_before() -> None:
    sender = Numbering()
    judged(sender, *range(1, 100))
    assert judged(sender, 50, 99, 1) == [REPEATED] * 3


def test_a_sender_that_starts_again_with_one_loses_nothing() -> None:
    sender = Numbering()
    judged(sender, *range(1, 50))
    assert [sender.take(number, 1_000 + number) for number in range(1, 50)] == [NEW] * 49


@pytest.mark.parametrize("begins", [-(10**15), 1, 700 - WINDOW, 700 + AHEAD, 10**15])
def test_a_number_far_from_the_last_begins_another_count(begins: int) -> None:
    sender = Numbering()
    judged(sender, *range(1, 701))
    assert judged(sender, begins, begins + 1, begins) == [NEW, NEW, REPEATED]


def test_a_gap_wider_than_the_window_is_counted_whole() -> None:
    sender = Numbering()
    assert judged(sender, 1, 2 * WINDOW + 2)[1].missing == 2 * WINDOW
    assert judged(sender, 2 * WINDOW + 1, 2 * WINDOW + 1) == [
        Verdict(came_before=False, missing=-1),
        REPEATED,
    ]


@pytest.mark.parametrize("numbers", [(2, 1, 3), (5, 3, 4, 6), (100, 99, 101), (3, 1, 2, 4)])
def test_the_first_numbers_may_come_in_any_order(numbers: tuple[int, ...]) -> None:
    sender = Numbering()
    assert judged(sender, *numbers) == [NEW] * len(numbers)
    assert judged(sender, *numbers) == [REPEATED] * len(numbers)


def test_one_number_with_another_content_is_new_and_begins_no_count() -> None:
    sender = Numbering()
    judged(sender, 10, 11, 12)
    assert sender.take(11, 1_000) == NEW
    assert sender.take(11, 1_000) == REPEATED
    assert judged(sender, 13) == [NEW], "12 is not missing"


def test_two_in_a_row_begin_another_count_in_which_both_are_known() -> None:
    sender = Numbering()
    judged(sender, *range(1, 100))
    assert [sender.take(number, 1_000 + number).missing for number in (1, 2, 4)] == [0, 0, 1]
    assert [sender.take(number, 1_000 + number) for number in (1, 2, 4)] == [REPEATED] * 3


@given(st.lists(st.integers(-5, 5).filter(bool), max_size=100), st.integers(0, 1_000))
def test_within_the_window_every_number_is_new_exactly_once(steps: list[int], start: int) -> None:
    """Against a sender's numbers in any order that moves no further back than the window."""
    sender, seen, number, missing = Numbering(), Counter[int](), start, 0
    for step in [0, *steps]:
        number += step
        verdict = sender.take(number, number + 10_000)
        assert verdict.came_before == (seen[number] > 0)
        seen[number] += 1
        missing += verdict.missing
    assert missing == sum(number not in seen for number in range(start, max(seen)))


@given(st.lists(st.integers(0, 2_000), max_size=200), st.integers(0, 200))
def test_what_is_kept_of_a_sender_judges_as_it_does(numbers: list[int], cut: int) -> None:
    whole, first = Numbering(), Numbering()
    for number in numbers[:cut]:
        whole.take(number, number)
        first.take(number, number)
    second = Numbering.from_text(first.to_text())
    for number in numbers[cut:]:
        assert whole.take(number, number) == second.take(number, number)


def test_names_are_known_for_as_long_as_the_window() -> None:
    sender = Naming()
    for number in range(WINDOW):
        assert sender.take(f"id-{number}", 1) == NEW
    again = Naming.from_text(sender.to_text())
    assert again.take("id-0", 1) == REPEATED
    assert again.take("id-0", 2) == NEW, "the same name with another content"
    assert again.take("id-1", 1) == REPEATED
    assert again.take("id-0", 1) == NEW, "further back than the window"
