"""A view's plan follows what is seen of its parts, converges, and stays where nothing moves."""

from random import Random

import pytest

from engine.model.catalog import Catalog
from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.plan.logical import Scan
from engine.plan.windows import Unbounded
from engine.session import Session
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.joining.region import Region
from federated.optimizer import FederatedOptimizer
from federated.placing.placement import place
from tests.memory_log import Entry, MemoryLog, applied, rows_of
from tests.oracle import evaluate
from tests.random_joins import entries, views
from tests.random_sql import CATALOG
from tests.strategies import relation

STREAMS = Catalog(
    [
        relation(name, RelationKind.STREAM, "ROWS 60", k=Type.BIGINT, n=Type.BIGINT)
        for name in ("one", "two", "three")
    ]
)
LEAF = place(Scan(STREAMS["one"], Unbounded()), CostModel(Statistics()))
JOIN = "SELECT one.n, three.n AS m FROM one, two, three WHERE one.k = two.k AND two.n = three.k"


def write(log: MemoryLog, random: Random, often: str, seldom: str) -> None:
    """One tick in which the rows of one relation meet many of the next, those of the other hardly any."""
    few, many = 40, 3
    for name in ("one", "two", "three"):
        wide = {often: many, seldom: few}.get(name, few)
        other = many if often == "three" else few
        log.write(200_000, name, *((random.randrange(wide), random.randrange(other)) for _ in range(3)))


@pytest.fixture
def log():
    return MemoryLog()


@pytest.fixture
def session(log):
    session = log.session(STREAMS)
    session.adapting.policy = session.adapting.policy._replace(each=1)
    session.create_view(f"CREATE VIEW v AS {JOIN}")
    return session


def switches(session: Session) -> int:
    return session.adapting.totals()[0]


def test_the_plan_follows_a_shift_and_then_stays(session, log):
    random = Random(3)
    snapshot, deltas = session.snapshot("v"), []
    counts = []
    for often, seldom in (("one", "three"), ("three", "one"), ("one", "three")):
        for _ in range(90):
            write(log, random, often, seldom)
            deltas += log.tick(session)
        before = switches(session)
        for _ in range(60):
            write(log, random, often, seldom)
            deltas += log.tick(session)
        counts.append((before, switches(session)))
    assert 1 <= counts[-1][1] <= 6
    assert all(after - before <= 1 for before, after in counts)
    assert rows_of(session, "v") == applied(snapshot, deltas)
    logical = session._views["v"].logical
    assert rows_of(session, "v") == evaluate(logical, log.readings, log.stamps[-1])


def test_where_nothing_moves_nothing_is_planned(session, log, monkeypatch):
    random = Random(3)
    for _ in range(120):
        write(log, random, "one", "three")
        log.tick(session)
    for _ in range(60):
        log.append(Entry(200_000))
        log.tick(session)
    monkeypatch.setattr(Region, "best", unexpected)
    monkeypatch.setattr(FederatedOptimizer, "optimize", unexpected)
    for _ in range(60):
        log.append(Entry(200_000))
        log.tick(session)


def unexpected(*_: object) -> None:
    pytest.fail("there was nothing to plan")


@pytest.mark.parametrize("seed", range(12))
def test_random_joins_with_shifts_are_as_recomputed(seed):
    random, log = Random(seed), MemoryLog()
    session = log.session(CATALOG)
    session.adapting.policy = session.adapting.policy._replace(horizon=1e6, longest=1e9, least=0.0)
    for statement in views(random):
        session.create_view(statement)
    snapshots = {info.name: session.snapshot(info.name) for info in session.views()}
    deltas = []
    for tick, entry in enumerate(entries(random, 40, shift=20), 1):
        log.append(entry)
        deltas += log.tick(session)
        for name, snapshot in snapshots.items() if not tick % 4 else ():
            found = rows_of(session, name)
            assert found == applied(snapshot, [delta for delta in deltas if delta.view == name])
            recomputed = evaluate(session._views[name].logical, log.readings, log.stamps[-1])
            assert found == recomputed, (seed, tick)
    assert session.adapting.totals()[1] == 0


def test_what_is_told_moves_only_beyond_the_dead_band():
    statistics, leaf = Statistics(band=0.2), LEAF
    statistics.observe(leaf, 100, 5, 1)
    versions = []
    for tick in range(2, 40):
        statistics.observe(leaf, 110, 5 * tick, tick)
        versions.append(statistics.version)
    assert statistics.rows(leaf) == 102, "what stood when its changes were first told"
    assert versions[-1] == versions[0], "the first change seen is told, and then nothing"
    for tick in range(40, 80):
        statistics.observe(leaf, 200, 5 * tick, tick)
    assert 150 < statistics.rows(leaf) <= 200
    assert statistics.known(leaf).change == pytest.approx(5)


def test_a_change_that_jumps_from_tick_to_tick_is_no_news():
    statistics, leaf = Statistics(), LEAF
    random, changed = Random(1), 0
    for tick in range(1, 60):
        changed += random.choice([0, 10])
        statistics.observe(leaf, 100, changed, tick)
    before = statistics.version
    for tick in range(60, 160):
        changed += random.choice([0, 10])
        statistics.observe(leaf, 100, changed, tick)
    assert statistics.version - before <= 10


def test_whoever_plans_is_told_what_is_there():
    statistics, leaf = Statistics(), LEAF
    statistics.observe(leaf, 100, 0, 1)
    statistics.observe(leaf, 101)
    assert statistics.rows(leaf) == 101
