"""A portion of a view is always a part of it, never larger than its reader wants, and knows what it lacks."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from app.portion import Portion

ROWS = st.lists(st.tuples(st.tuples(st.integers(0, 9)), st.integers(1, 3)), max_size=12)
STEPS = st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 3)), max_size=8), max_size=12)


@given(first=ROWS, steps=STEPS, most=st.integers(1, 8))
def test_what_was_sent_is_part_of_the_view_and_the_rest_is_counted(first, steps, most):
    view = Counter()
    for row, count in first:
        view[row] += count
    portion = Portion(most)
    sent = bag(portion.begin(first))
    check(portion, sent, view, most)
    for step in steps:
        change = within(view, step)
        for row, count in change.items():
            view[row] += count
        for row, count in portion.change(change.items()):
            sent[row] += count
        check(portion, sent, view, most)
        if portion.is_thin:
            sent = bag(portion.begin(view_items(view)))
            assert sum(sent.values()) == min(most, sum(view.values()))


def test_a_row_that_goes_makes_room_for_one_that_comes_in_the_same_tick() -> None:
    portion = Portion(1)
    portion.begin([(("a", 1), 1)])
    assert portion.change([(("a", 2), 1), (("a", 1), -1)]) == [(("a", 1), -1), (("a", 2), 1)]
    assert portion.more == 0


def test_a_portion_is_thin_once_half_of_it_has_gone_while_there_is_more() -> None:
    portion = Portion(4)
    portion.begin([((n,), 1) for n in range(6)])
    assert (portion.more, portion.is_thin) == (2, False)
    portion.change([((0,), -1), ((1,), -1)])
    assert (portion.more, portion.is_thin) == (2, True)
    few = Portion(4)
    few.begin([((0,), 1)])
    assert not few.is_thin


def check(portion, sent, view, most):
    assert min(sent.values(), default=0) >= 0
    assert sum(sent.values()) <= most
    assert all(view[row] >= count for row, count in sent.items())
    assert portion.more == sum(view.values()) - sum(sent.values())


def within(view, step):
    """What of a step leaves no row less than none times."""
    change = Counter()
    for value, count in step:
        row = (value,)
        change[row] += max(count, -(view[row] + change[row]))
    return {row: count for row, count in change.items() if count}


def bag(rows):
    found = Counter()
    for row, count in rows:
        found[row] += count
    return found


def view_items(view):
    return [(row, count) for row, count in view.items() if count > 0]
