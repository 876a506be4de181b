"""What is in shares takes rounds together: as each would be by itself, whatever is lost meanwhile."""

from collections.abc import Sequence
from random import Random

import pytest

from engine.model.catalog import Catalog
from engine.operators.budget import Budget
from engine.operators.of_plan import leaf_of
from engine.partitions.carrying import Asking
from engine.partitions.in_place import InPlace
from engine.partitions.leaves.abreast import abreast
from engine.partitions.leaves.leaf import spread_leaf
from engine.partitions.round import Round
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown
from tests.forgetful_shares import Forgetful
from tests.memory_log import MemoryLog, rows_of
from tests.partitioned_programs import TABLES, VIEWS
from tests.spread_leaves import LEAVES, readings, ticks, told


@pytest.mark.parametrize("each", [0, 11])
def test_leaves_that_advance_together_are_as_they_would_be_in_the_driver(each: int) -> None:
    random, now = Random(each), 100
    here = {name: leaf_of(plan) for name, plan in LEAVES.items()}
    spread = {name: spread_leaf(plan, Budget(), lambda: Forgetful(3, each)) for name, plan in LEAVES.items()}
    for name, leaf in spread.items():
        leaf.restore(here[name].state())
    for _ in range(80):
        now += random.choice([0, 1, 1, 3])
        came = {name: readings(plan, random, now) for name, plan in LEAVES.items() if random.random() < 0.7}
        found = abreast([(spread[name], rows) for name, rows in came.items()], now)
        for name, rows in came.items():
            leaf = spread[name]
            assert leaf.advance(rows, now, found.get(leaf)) == here[name].advance(rows, now), name
            assert told(leaf) == told(here[name])
    assert all(leaf.contents() == here[name].contents() for name, leaf in spread.items())


def test_a_leaf_alone_has_nobody_to_go_along_with_and_one_that_was_lost_goes_alone() -> None:
    one, other = (spread_leaf(LEAVES["keyed"], Budget(), lambda: InPlace(2)) for _ in range(2))
    for leaf in (one, other):
        leaf.restore([])
    assert abreast([(one, [])], 1) == {}
    one.forget()
    assert abreast([(one, []), (other, [])], 1) == {}


@pytest.mark.parametrize("most", [10, -1])
@pytest.mark.parametrize("each", [0, 61, 97])
def test_what_is_in_shares_of_a_session_goes_together_and_is_right(
    each: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    ask = InPlace.rounds

    def counted(self: InPlace, several: Sequence[Asking]) -> list[Round | Exception]:
        asked.append(len(several))
        return ask(self, several)

    monkeypatch.setattr(InPlace, "rounds", counted)
    log, random = MemoryLog(), Random(each)
    session = log.session(
        Catalog(TABLES),
        optimizer=FederatedOptimizer(outgrown=Outgrown(3, most)),
        carry=lambda: Forgetful(3, each),
    )
    plain = MemoryLog()
    beside = plain.session(Catalog(TABLES))
    for each_session in (session, beside):
        for name, text in VIEWS.items():
            each_session.create_view(f"CREATE VIEW {name} AS {text}")
    held: dict[str, dict[str, int]] = {"t": {}, "u": {}, "v": {}}
    for _ in range(60):
        for name in random.sample("tuv", random.randint(0, 3)):
            for _ in range(4):
                key = f"k{random.randint(0, 30)}"
                sign = -1 if key in held[name] and random.random() < 0.4 else 1
                row = (key, held[name].pop(key)) if sign < 0 else (key, random.randint(0, 5))
                held[name].update([row] if sign > 0 else [])
                for each_log in (log, plain):
                    each_log.write(1_000, name, row, sign=sign)
        for each_log, each_session in ((log, session), (plain, beside)):
            each_log.tick(each_session)
        for name in VIEWS:
            assert rows_of(session, name) == rows_of(beside, name), name
    ticks(log, session, 8)
    assert {2, 3} <= set(asked)
    assert not any(view.suspended for view in session.views())
