"""Tables and windows alone, driven by readings: replacement by key, deletes of the absent, expiry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.base import Bag, KeyedTable
from engine.operators.delta import merge
from engine.operators.leaf import Leaf
from engine.operators.window import RangeWindow, RowsWindow
from engine.provenance.counting import COUNTING
from tests.strategies import few

ROWS: list[Row] = [("a", 1), ("a", 2), ("b", 1), ("b", None), (None, 3)]


def reading(row: Row, at: int = 0, sign: int = 1) -> Reading:
    return Reading("r", sign, row, 0, 0, at)


def gone(row: Row) -> Reading:
    return reading(row, sign=-1)


# Tables


def test_a_keyed_row_replaces_what_stands_under_its_key():
    table = KeyedTable(COUNTING, (0,))
    assert table.advance([reading(("a", 1))], 0) == {("a", 1): 1}
    assert table.advance([reading(("a", 2))], 0) == {("a", 1): -1, ("a", 2): 1}
    assert table.advance([reading(("a", 2))], 0) == {}
    assert table.advance([gone(("a", 1)), gone(("b", 1))], 0) == {}
    assert table.ignored_deletes == 2
    assert table.advance([gone(("a", 2))], 0) == {("a", 2): -1}
    assert len(table) == 0


def test_what_comes_and_goes_within_a_tick_is_not_seen():
    table = KeyedTable(COUNTING, (0,))
    table.advance([reading(("a", 1))], 0)
    assert table.advance([gone(("a", 1)), reading(("a", 3)), gone(("a", 3)), reading(("a", 1))], 0) == {}


def test_a_bag_ignores_a_delete_of_the_absent():
    bag = Bag(COUNTING)
    assert bag.advance([reading(("a",)), reading(("a",))], 0) == {("a",): 2}
    assert bag.advance([gone(("a",)), gone(("a",)), gone(("a",)), reading(("a",))], 0) == {("a",): -1}
    assert bag.ignored_deletes == 1
    assert bag.contents() == {("a",): 1}


# Windows


def test_a_range_holds_what_is_younger_than_its_length():
    window = RangeWindow(COUNTING, 10)
    assert window.advance([reading(("a",), 0), reading(("a",), 5)], 5) == {("a",): 2}
    assert window.advance([], 9) == {}
    assert window.advance([], 10) == {("a",): -1}
    assert window.advance([reading(("b",), 15)], 15) == {("a",): -1, ("b",): 1}


def test_a_range_never_shows_what_one_tick_brought_and_expired():
    window = RangeWindow(COUNTING, 10)
    assert window.advance([reading(("a",), 0), reading(("b",), 10), reading(("c",), 11)], 20) == {("c",): 1}


def test_now_holds_the_rows_of_the_tick_s_own_microsecond():
    window = RangeWindow(COUNTING, 1)
    assert window.advance([reading(("a",), 4), reading(("b",), 5), reading(("c",), 5)], 5) == {
        ("b",): 1,
        ("c",): 1,
    }
    assert window.advance([], 6) == {("b",): -1, ("c",): -1}


def test_rows_holds_the_last_n_of_each_partition():
    window = RowsWindow(COUNTING, 2, (0,))
    window.advance([reading(("a", 1)), reading(("a", 1)), reading(("b", 7))], 0)
    assert window.contents() == {("a", 1): 2, ("b", 7): 1}
    assert window.advance([reading(("a", 2))], 0) == {("a", 1): -1, ("a", 2): 1}
    assert window.advance([reading(("a", 1)), reading(("a", 2))], 0) == {}
    assert window.contents() == {("a", 1): 1, ("a", 2): 1, ("b", 7): 1}


LEAVES = {
    "keyed table": lambda: KeyedTable(COUNTING, (0,)),
    "bag": lambda: Bag(COUNTING),
    "range": lambda: RangeWindow(COUNTING, 3),
    "rows": lambda: RowsWindow(COUNTING, 2, (0,)),
}


@pytest.mark.parametrize("make", LEAVES.values(), ids=LEAVES)
def test_a_leaf_s_contents_are_the_sum_of_its_deltas_and_its_state_is_all_it_needs(make):
    @few(60)
    @given(st.lists(st.tuples(st.sampled_from(ROWS), st.integers(0, 2), st.integers(0, 3)), max_size=20))
    def check(steps):
        leaf: Leaf[int] = make()
        now, held = 0, {}
        for row, gap, what in steps:
            now += gap
            sign = -1 if what == 1 and isinstance(leaf, KeyedTable | Bag) else 1
            merge(held, leaf.advance([reading(row, now, sign)] if what else [], now), COUNTING)
            assert leaf.contents() == held
            assert len(held) <= len(leaf) <= sum(held.values())
            again = make()
            again.restore(leaf.state())
            leaf = again

    check()
