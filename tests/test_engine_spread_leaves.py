"""Leaves whose rows are in shares: the same changes, rows and states as of the same leaf in the driver."""

from random import Random

import pytest

from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.operators.budget import Budget
from engine.operators.of_plan import leaf_of
from engine.partitions.in_place import InPlace
from engine.partitions.leaves import journal as journals
from engine.partitions.leaves.leaf import spread_leaf
from engine.partitions.leaves.pieces import whole
from engine.partitions.leaves.spreading import can_spread
from tests.forgetful_shares import Forgetful
from tests.spread_leaves import APART, LEAVES, readings, told


@pytest.mark.parametrize("each", [0, 13])
@pytest.mark.parametrize("partitions", [1, 2, 5])
@pytest.mark.parametrize("name", LEAVES)
def test_a_spread_leaf_is_as_it_would_be_in_the_driver(
    name: str, partitions: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "LEAST", 5)
    plan, random, now = LEAVES[name], Random(f"{name} {partitions}"), 100
    here, spread = leaf_of(plan), spread_leaf(plan, Budget(), lambda: Forgetful(partitions, each))
    spread.restore(here.state())
    assert spread.is_still == here.is_still
    for turn in range(120):
        now += random.choice([0, 1, 1, 3])
        came = readings(plan, random, now)
        assert spread.advance(came, now) == here.advance(came, now)
        assert told(spread) == told(here)
        if not turn % 7:
            assert spread.contents() == here.contents()
        if not turn % 29:
            state, spread = spread.state(), spread_leaf(plan, Budget(), lambda: InPlace(3 + partitions % 2))
            spread.restore(state)
    again = leaf_of(plan)
    again.restore(whole(again, spread.state()))
    assert again.contents() == spread.here().contents() == here.contents()
    assert sum(spread.shares().kept) == len(here)
    spread.end()


@pytest.mark.parametrize("name", APART)
def test_what_must_be_seen_together_is_not_spread(name: str) -> None:
    assert not can_spread(APART[name])


def test_what_came_while_shares_were_gone_for_good_is_there_when_they_are_back() -> None:
    plan, carrier = LEAVES["keyed"], Forgetful(2)
    spread = spread_leaf(plan, Budget(), lambda: carrier)
    spread.restore([])
    spread.advance([Reading("t", 1, ("a", 1), 1, 0, 1)], 1)
    carrier.each = 1
    with pytest.raises(SourceError, match="lost 3 times in a row"):
        spread.advance([Reading("t", 1, ("b", 2), 2, 0, 2)], 2)
    carrier.each = 0
    assert spread.advance([Reading("t", 1, ("a", 3), 3, 0, 3)], 3) == {("a", 1): -1, ("a", 3): 1}
    assert spread.contents() == {("a", 3): 1, ("b", 2): 1}
