"""The orders that lost are the best that end otherwise; a change of plan says what was unexpected."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from engine.plan.explaining import as_document, as_text
from engine.session import Session
from engine.views.view import MOST_TURNS
from federated.estimating.cost import CostModel
from federated.joining.orders import FEW, names_of, order_text, orders
from federated.joining.region import Region
from federated.joining.trees import Tree, joined, mask_of
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog
from tests.three_sites import CATALOG, bound

FOUR = (
    "SELECT a.machine FROM loads a, software s, loads b, loads c "
    "WHERE a.machine = s.machine AND b.n = a.n AND c.room = b.room AND b.cpu > 0.5"
)
MOVING = (
    "CREATE VIEW v AS SELECT a.machine, b.machine AS other FROM loads a, software s, loads b "
    "WHERE a.machine = s.machine AND b.n = a.n AND b.cpu > 0.5"
)


def every_tree(numbers: tuple[int, ...]) -> Iterator[Tree]:
    """Yield all trees over some inputs."""
    if len(numbers) == 1:
        yield numbers[0]
        return
    first, *others = numbers
    for bits in range(2 ** len(others) - 1):
        mine = (first, *(each for i, each in enumerate(others) if bits >> i & 1))
        rest = tuple(each for each in others if each not in mine)
        for one in every_tree(mine):
            for other in every_tree(rest):
                yield joined(one, other)


def made(region: Region, tree: Tree) -> bool:
    """Tell whether a tree needs no product."""
    if isinstance(tree, int):
        return True
    left, right = tree
    keys, rest = region.predicates.between(mask_of(left), mask_of(right))
    return bool(keys or rest) and made(region, left) and made(region, right)


def test_each_order_that_lost_is_the_best_that_ends_with_its_join() -> None:
    optimizer = FederatedOptimizer()
    plan = optimizer.optimize(bound(FOUR))
    ((region, runs),) = optimizer._regions.within(plan)
    model = CostModel(optimizer._statistics, regions=optimizer._regions)
    told, names = orders(region, runs, model), names_of(region)
    best: dict[frozenset[int], tuple[float, Tree]] = {}
    for tree in every_tree((0, 1, 2, 3)):
        if made(region, tree):
            last = frozenset(map(mask_of, tree))  # type: ignore[arg-type]
            best[last] = min(best.get(last, (float("inf"), 0)), (region.cost(tree, model), tree), key=first)
    expected = sorted(cost for cost, tree in best.values() if tree != runs)[:FEW]
    assert [each.cost for each in told.lost] == [pytest.approx(cost) for cost in expected]
    assert told.chosen.cost == pytest.approx(min(cost for cost, _ in best.values()))
    assert told.chosen.order == order_text(runs, names)
    assert sorted("".join(c for c in told.lost[0].order if c.isalpha())) == ["a", "b", "c", "s"]


def first(pair: tuple[float, Tree]) -> float:
    return pair[0]


def test_inputs_without_a_name_in_the_conditions_are_called_by_what_they_read() -> None:
    optimizer = FederatedOptimizer()
    asked = "SELECT a.machine FROM loads a, software s, people p WHERE a.machine = s.machine"
    plan = optimizer.optimize(bound(asked))
    ((region, _),) = optimizer._regions.within(plan)
    assert names_of(region) == ["a", "s", "people"]


def driven() -> Session:
    """A session whose view was planned for few machines with software, and then all of them had some."""
    log = MemoryLog()
    session = log.session(CATALOG)
    log.write(1_000, "software", *((f"m{n}", "Word") for n in range(3)))
    log.tick(session)
    session.create_view(MOVING)
    for t in range(120):
        busy = 60 if t < 30 else 1
        rows = ((f"m{n}", "r", (0.9 if n < busy else 0.1) - t * 0.0001, n) for n in range(60))
        log.write(1_000_000, "loads", *rows)
        if t == 30:
            log.write(1_000, "software", *((f"m{n}", "Word") for n in range(3, 60)))
        log.tick(session)
    return session


def test_a_change_of_plan_says_from_what_to_what_and_what_was_other_than_expected() -> None:
    session = driven()
    found = session.questions.running("v", analyzes=True)
    (turn,) = as_document(found)["turns"]
    assert (turn["before"], turn["after"]) == (["(a ⋈ s) ⋈ b"], ["(a ⋈ b) ⋈ s"])
    assert turn["now"] > turn["then"] > 0
    seen = {each["what"]: each for each in turn["surprises"]}
    assert seen["select (b.cpu > 0.5)"]["rows"] < seen["select (b.cpu > 0.5)"]["expected"] / 3
    assert f"changed in tick {turn['tick']}: (a ⋈ s) ⋈ b to (a ⋈ b) ⋈ s" in as_text(found)
    assert found.joins[0].chosen.order == "(a ⋈ b) ⋈ s"


def test_a_view_keeps_its_last_changes_and_no_more() -> None:
    session = driven()
    view = session._views["v"]
    (turn,) = view.turns
    for tick in range(200):
        view.turns.append(turn._replace(tick=tick))
    told = session.questions.running("v").turns
    assert len(told) == MOST_TURNS
    assert all(b.tick == a.tick + 1 for a, b in pairwise(told))


def test_of_what_runs_it_is_told_what_its_inputs_led_to_expect() -> None:
    session = driven()
    nodes = {n["what"]: n for n in as_document(session.explain("EXPLAIN ANALYZE v"))["nodes"]}
    node = nodes["select (b.cpu > 0.5)"]
    assert node["rows"]["expected"] == pytest.approx(18.0)
    assert node["off"] == pytest.approx(1 / 18, rel=0.2)


def test_a_join_of_what_is_empty_by_now_can_be_explained() -> None:
    log = MemoryLog()
    session = log.session(CATALOG)
    session.create_view(
        "CREATE VIEW w AS SELECT a.room FROM loads a, loads b WHERE a.n = b.n AND a.cpu > 0.5 AND b.cpu > 0.5"
    )
    log.write(1, "loads", ("m1", "r", 0.1, 1))
    log.tick(session)
    assert "join a.n = b.n" in as_text(session.explain("EXPLAIN ANALYZE w"))
