"""A view that changes its plan shows nothing of it: rows, numbers and readers are as without."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from engine.adapting import Policy
from engine.contracts import Switch
from engine.lang.streamsql import parse
from engine.operators.budget import Budget, Meter
from engine.plan.goal import FASTEST, Goal
from engine.plan.leaves import Shipped, Table
from engine.plan.logical import Plan, Scan
from engine.plan.physical import Filter, HashJoin, Map, Physical, children, leaves
from engine.session import Session
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.optimizer import FederatedOptimizer
from federated.placing.placement import place
from tests.memory_log import Entry, MemoryLog, applied, rows_of
from tests.oracle import evaluate
from tests.random_joins import entries, views
from tests.random_sql import CATALOG
from tests.switching import Clock, fickle_session

EACH = 3
"""Ticks after which rows are recomputed from the log; another of them for each seed."""


def drive(seed: int, ticks: int = 14, most: int = 4) -> Counter[str]:
    """Drive the same log through views that stay and views that change; return how often they did."""
    random = Random(seed)
    log, steady_log = MemoryLog(), MemoryLog()
    fickle, steady = fickle_session(log, CATALOG, random), steady_log.session(CATALOG)
    steady.adapting.is_on = False
    for statement in views(random, most):
        fickle.create_view(statement)
        steady.create_view(statement)
    snapshots = {info.name: fickle.snapshot(info.name) for info in fickle.views()}
    deltas = []
    for tick, entry in enumerate(entries(random, ticks)):
        for each in (log, steady_log):
            each.append(entry)
        deltas += log.tick(fickle)
        steady_log.tick(steady)
        for name, snapshot in snapshots.items():
            found = rows_of(fickle, name)
            assert found == rows_of(steady, name), (seed, tick)
            assert found == applied(snapshot, [delta for delta in deltas if delta.view == name])
            if tick % EACH == seed % EACH or tick == ticks - 1:
                recomputed = evaluate(fickle._views[name].logical, log.readings, log.stamps[-1])
                assert found == recomputed, (seed, tick)
    assert not [info for info in fickle.views() if info.suspended]
    switches, abandoned = fickle.adapting.totals()
    return Counter(switches=switches, abandoned=abandoned)


def test_rows_deltas_and_numbers_are_the_same_whatever_the_plan_and_whenever_it_changes():
    total: Counter[str] = sum(map(drive, range(40)), Counter())
    assert not total["abandoned"]
    assert total["switches"] > 150


@pytest.mark.slow
def test_many_more_joins_are_the_same_whatever_the_plan():
    total: Counter[str] = sum((drive(seed, ticks=25, most=5) for seed in range(1_000, 1_250)), Counter())
    assert not total["abandoned"]
    assert total["switches"] > 5_000


class Determined(FederatedOptimizer):
    """Wants one plan, whatever is said."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: Physical | None = None
        self.asked = 0

    def reconsider(
        self, plan: Plan, running: Physical, is_running: Callable[[Physical], bool], goal: Goal = FASTEST
    ) -> Switch | None:
        self.asked += 1
        return None if self.wanted is None else Switch(self.wanted, now=1e9, then=0.0, builds=0.0)


JOIN = "SELECT s.k, r.t, n.t AS u FROM seats s, rooms r, notes n WHERE s.k = r.k AND n.k = r.k"


@pytest.fixture
def optimizer():
    return Determined()


@pytest.fixture
def log():
    log = MemoryLog()
    log.write(1, "rooms", *((i, i, "a") for i in range(4)))
    log.write(1, "notes", *((i, "b", True) for i in range(4)))
    log.write(1, "seats", *((i, i, None) for i in range(4)))
    return log


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def session(log, optimizer, clock):
    session = Session(CATALOG, optimizer, log.history, Budget(meter=Meter(clock)))
    session.adapting.policy = Policy(keep_out=0, each=1)
    session.create_view(f"CREATE VIEW v AS {JOIN}")
    log.tick(session)
    return session


def tick(session, log):
    log.append(Entry(1))
    return log.tick(session)


def nodes(session) -> set[Physical]:
    return {node.plan for node in session._upkeep._dataflow}


def other_plan(session, sql: str = JOIN) -> Physical:
    """A plan with another order of joins than the one that runs."""
    other = FederatedOptimizer()
    running = session._views["v"].physical
    for sizes in permutations((1, 1_000, 10**6)):
        for leaf, size in zip(leaves(running), sizes, strict=True):
            other.observe(leaf, size)
        found = other.optimize(session._views.bind(parse(sql)))
        if found != running:
            return found
    pytest.fail("every size leads to the same plan")


def test_what_nobody_reads_any_more_goes_and_what_both_plans_have_stays(session, optimizer, log):
    before = {node.plan: node for node in session._upkeep._dataflow}
    optimizer.wanted = other_plan(session)
    tick(session, log)
    after = {node.plan: node for node in session._upkeep._dataflow}
    assert session._views["v"].physical == optimizer.wanted
    assert all(after[leaf] is before[leaf] for leaf in leaves(optimizer.wanted))
    assert before.keys() - after.keys()
    assert nodes(session) >= set(below_plan(optimizer.wanted))


def below_plan(plan: Physical) -> list[Physical]:
    return [plan, *(each for child in children(plan) for each in below_plan(child))]


def test_a_start_that_takes_too_long_is_given_up_and_not_tried_again_for_a_while(
    session, optimizer, log, clock
):
    before, rows = nodes(session), rows_of(session, "v")
    optimizer.wanted = other_plan(session)
    clock.step = 0.6
    tick(session, log)
    assert session.adapting.totals() == (0, 1)
    asked = optimizer.asked
    clock.step = 0.0
    tick(session, log)
    assert optimizer.asked == asked
    assert (nodes(session), rows_of(session, "v")) == (before, rows)
    session.adapting.policy = Policy(keep_out=0, retry=0, each=1)
    session.stamp = session.stamp._replace(tick=session.stamp.tick + Policy().retry)
    tick(session, log)
    assert session.adapting.totals() == (1, 1)


def test_a_view_that_goes_takes_no_count_with_it(session, optimizer, log):
    optimizer.wanted = other_plan(session)
    tick(session, log)
    session.drop("v")
    tick(session, log)
    assert session.adapting.totals() == (1, 0)


def test_a_plan_of_something_else_is_not_taken_up(session, optimizer, log):
    before, rows = nodes(session), rows_of(session, "v")
    optimizer.wanted = other_plan(session, f"{JOIN} AND r.k = 1")
    tick(session, log)
    assert session.adapting.totals() == (0, 1)
    assert (nodes(session), rows_of(session, "v")) == (before, rows)


def test_a_suspended_view_is_not_reconsidered(session, optimizer, log):
    session._views["v"].suspend("for a test", session.stamp.at)
    asked = optimizer.asked
    tick(session, log)
    assert optimizer.asked == asked


def test_nothing_is_asked_where_adaptivity_is_off(session, optimizer, log):
    session.adapting.is_on = False
    asked = optimizer.asked
    tick(session, log)
    assert optimizer.asked == asked


def test_a_fragment_of_another_site_is_installed_first_and_read_once_it_answered(session, optimizer, log):
    """Until then the old plan says what there is; what the other site sees otherwise is told after."""
    snapshot, deltas = session.snapshot("v"), []
    shipped = Shipped("database:facts", place(Scan(CATALOG["rooms"], None), CostModel(Statistics())))
    optimizer.wanted = with_leaf(other_plan(session), "rooms", shipped)
    deltas += tick(session, log)
    assert shipped.fragment in session.fragments()
    assert session._views["v"].physical != optimizer.wanted
    deltas += tick(session, log)
    log.write(1, shipped.name, (None, None, None), sign=0)
    log.write(0, shipped.name, *((i, i, "a") for i in range(3)))
    deltas += log.tick(session)
    assert session._views["v"].physical == optimizer.wanted
    assert rows_of(session, "v").total() == 4
    deltas += tick(session, log)
    assert rows_of(session, "v") == applied(snapshot, deltas)
    assert rows_of(session, "v").total() == 3
    assert [delta.changes for delta in deltas] == [(((3, "a", "b"), -1),)]


def test_a_fragment_that_is_no_longer_wanted_is_let_go(session, optimizer, log):
    shipped = Shipped("database:facts", place(Scan(CATALOG["rooms"], None), CostModel(Statistics())))
    optimizer.wanted = with_leaf(other_plan(session), "rooms", shipped)
    tick(session, log)
    assert shipped.fragment in session.fragments()
    optimizer.wanted = None
    tick(session, log)
    assert shipped.fragment not in session.fragments()


def with_leaf(plan: Physical, name: str, leaf: Shipped) -> Physical:
    """A plan with another leaf in place of a table."""
    if isinstance(plan, Table):
        return leaf if plan.relation.name == name else plan
    match plan:
        case HashJoin(left, right):
            return replace(plan, left=with_leaf(left, name, leaf), right=with_leaf(right, name, leaf))
        case Map(child) | Filter(child):
            return replace(plan, child=with_leaf(child, name, leaf))
    return plan


@pytest.mark.parametrize(
    ("switch", "lasts", "is_worth"),
    [
        (Switch(None, 100, 80, 830), 0, True),
        (Switch(None, 100, 80, 840), 0, False),
        (Switch(None, 100, 80, 840), 60, True),
        (Switch(None, 100, 80, 10**9), 10**9, False),
        (Switch(None, 100, 96, 0), 0, False),
        (Switch(None, 100, 100, 0), 10**9, False),
    ],
)
def test_a_switch_must_pay_for_itself_within_the_time_that_plans_last(switch, lasts, is_worth):
    assert Policy().is_worth(switch, lasts) == is_worth


def test_how_long_plans_last_is_a_moving_mean():
    assert Policy().following(0.0, 100) == pytest.approx(60)
    assert Policy().following(60.0, 10) == pytest.approx(50)
