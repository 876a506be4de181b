"""Why a row of a view is there, asked of a session: what is answered suffices, and its cuts are cuts."""

import random
import time
from itertools import islice

import pytest

from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget
from engine.plan.logical import Plan, Scan
from engine.queries.clauses import atom, clause
from engine.queries.paths import cheapest, widest
from engine.queries.reachability import nonlinear_closure, reach_sizes, reachable, unreachable
from engine.queries.trees import same_generation
from engine.session import Session
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from tests.memory_log import Change, Entry, MemoryLog, rows_of

LINK = Relation(
    "link", RelationKind.TABLE, (*(Column(n, Type.TEXT) for n in ("src", "dst")), Column("cost", Type.BIGINT))
)
CATALOG = Catalog([LINK])
SCAN = Scan(LINK, None)
NODES = "abcdef"


def turned() -> Plan:
    """Return links in both directions, of which one base row makes two."""
    there = clause({"src": "x", "dst": "y"}, atom(SCAN, "x", "y", "_"))
    return reachable(clause({"src": "y", "dst": "x"}, atom(there, "x", "y")))


PLANS: dict[str, Plan] = {
    "reachable": reachable(SCAN),
    "turned": turned(),
    "nonlinear": nonlinear_closure(SCAN),
    "same generation": same_generation(SCAN, "src", "dst"),
    "cheapest": cheapest(SCAN),
    "widest": widest(SCAN, width="cost"),
}


def effort(steps: int = 100_000) -> Effort:
    return Effort(5.0, steps, time.monotonic)


def session_of(plan: Plan, links: set[Row]) -> Session:
    log = MemoryLog([Entry(1, [Change("link", 1, row) for row in sorted(links)])])
    session = log.session(CATALOG)
    session.install("view", plan)
    log.tick(session)
    return session


def holds(plan: Plan, links: set[Row], row: Row) -> bool:
    return row in rows_of(session_of(plan, links), "view")


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("seed", range(4))
def test_each_answer_suffices_and_each_cut_removes_the_row(plan, seed):
    chosen = random.Random(seed)
    links = {(chosen.choice(NODES), chosen.choice(NODES), chosen.randrange(1, 3)) for _ in range(9)}
    session = session_of(plan, links)
    present = sorted(rows_of(session, "view"))
    for row in chosen.sample(present, min(4, len(present))):
        found = session.why("view", row, effort())
        assert not found.provenance.is_truncated
        assert holds(plan, {base.row for base in found.witness}, row)
        for derivation in islice(found.provenance.derivations(), 6):
            own = {base.row for base in derivation}
            assert holds(plan, own, row)
            assert not any(holds(plan, own - {each}, row) for each in own)
        for cut in islice(found.provenance.cuts(effort()), 6):
            assert not holds(plan, links - {base.row for base in cut}, row)


def test_what_must_not_be_there_is_said():
    session = session_of(unreachable(SCAN), {("a", "b", 1)})
    found = session.why("view", ("b", "a"), effort())
    (absent,) = found.absent
    assert (absent.relation, absent.key) == ("link", ("b", "a"))
    assert [(gap.reason, gap.wanted) for gap in absent.missing.gaps] == [(Reason.NO_ROW, {"dst": "a"})]


def test_an_aggregate_stands_on_every_row_of_its_group():
    session = session_of(reach_sizes(SCAN), {("a", "b", 1), ("b", "c", 1), ("c", "c", 1)})
    found = session.why("view", ("a", 2), effort())
    assert {base.row for base in found.witness} == {("a", "b", 1), ("b", "c", 1)}


def test_a_view_in_words_is_explained_too():
    log = MemoryLog([Entry(1, [Change("link", 1, row) for row in [("a", "b", 1), ("b", "c", 2)]])])
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW two AS SELECT l.src, m.dst FROM link l, link m WHERE l.dst = m.src")
    log.tick(session)
    found = session.why("two", ("a", "c"), effort())
    assert {base.row for base in found.witness} == {("a", "b", 1), ("b", "c", 2)}
    assert found.provenance.count == 1


def test_an_effort_that_runs_out_is_said_and_the_witness_is_there():
    links = {(x, y, 1) for x in NODES for y in NODES if x != y}
    found = session_of(same_generation(SCAN, "src", "dst"), links).why("view", ("a", "b"), effort(steps=20))
    assert found.provenance.is_truncated
    assert found.witness


def test_a_row_that_is_not_there_is_refused_with_the_tick():
    session = session_of(reachable(SCAN), {("a", "b", 1)})
    with pytest.raises(QueryError, match=r"view has no row \('b', 'a'\) as of tick 1"):
        session.why("view", ("b", "a"), effort())


def test_an_installed_view_is_read_by_views_in_words():
    session = session_of(reachable(SCAN), {("a", "b", 1), ("b", "c", 1)})
    assert session.create_view("CREATE VIEW from_a AS SELECT v.dst FROM view v WHERE v.src = 'a'") == "from_a"
    assert set(rows_of(session, "from_a")) == {("b",), ("c",)}


def test_an_installed_view_that_a_restored_state_is_too_large_for_is_suspended():
    links = {(x, y, 1) for x in NODES for y in NODES}
    image = session_of(reachable(SCAN), links).image()
    enough = Session(CATALOG, FederatedOptimizer(), budget=Budget(rows=36))
    enough.install("view", reachable(SCAN))
    enough.restore(image, print)
    assert enough.views()[0].rows == 36
    tiny = Session(CATALOG, FederatedOptimizer(), budget=Budget(rows=35))
    tiny.install("view", reachable(SCAN))
    tiny.restore(image, print)
    assert tiny.views()[0].suspended == "link holds over 35 rows; take a shorter window"


def test_an_installed_view_is_neither_dropped_nor_replaced():
    session = session_of(reachable(SCAN), {("a", "b", 1)})
    with pytest.raises(QueryError, match="view comes with the building and stays"):
        session.drop("view")
    with pytest.raises(QueryError, match="view is there already and comes with the building"):
        session.create_view("CREATE VIEW view AS SELECT l.src FROM link l")


def test_a_row_that_is_there_or_too_wide_is_not_asked_why_not():
    session = session_of(reachable(SCAN), {("a", "b", 1)})
    with pytest.raises(QueryError, match="is there; ask why"):
        session.why_not("view", ("a", "b"), effort())
    with pytest.raises(QueryError, match="has not 2 columns"):
        session.why_not("view", ("a", "b", "c"), effort())
