"""An explained plan: each node once, under the site that runs it, and why an alternative lost."""

import json

import pytest

from engine.model.errors import QueryError
from engine.plan.explaining import (
    Alternative,
    Choice,
    Costs,
    Estimate,
    ExplainedPlan,
    Kept,
    Passed,
    as_document,
    as_text,
    explained,
)
from engine.plan.explaining.estimates import off_by
from engine.plan.explaining.sites import every
from engine.plan.goal import Goal
from engine.plan.physical import Physical, fragments_in, leaves
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog
from tests.three_sites import CATALOG, EXAMPLE14, bound, bound14
from tests.watched_plan import below

ENERGY = Goal((("energy", 1.0),))
OVER_DATABASES = (
    "SELECT m.room, p.phone, count(*) AS n FROM machines m, people p, loads l "
    "WHERE m.owner = p.person AND l.machine = m.machine AND l.cpu > 0.5 GROUP BY m.room, p.phone"
)
TWICE = (
    "WITH a AS (SELECT room, count(*) AS n FROM loads GROUP BY room) SELECT x.n FROM a x, a y WHERE x.n = y.n"
)
QUERIES = [EXAMPLE14, OVER_DATABASES, TWICE, "SELECT a.room, b.room FROM loads a, loads b WHERE a.n = b.n"]


def told(sql: str, goal: Goal = ENERGY) -> tuple[Physical, ExplainedPlan]:
    optimizer = FederatedOptimizer()
    logical = bound14(sql) if sql == EXAMPLE14 else bound(sql)
    plan = optimizer.optimize(logical, goal)
    return plan, optimizer.explain(plan, None, logical, goal)


@pytest.mark.parametrize("sql", QUERIES)
def test_every_node_is_told_once_whoever_runs_it(sql: str) -> None:
    plan, found = told(sql)
    here = below(plan)
    elsewhere = sum(len(below(leaf.plan)) for leaf in fragments_in(plan))
    reads = len(leaves(plan)) - len(fragments_in(plan))
    assert len(list(every(found.root))) == len(here) + elsewhere + reads


@pytest.mark.parametrize("sql", QUERIES)
def test_the_document_is_json_whose_edges_lead_from_all_nodes_to_the_root(sql: str) -> None:
    document = json.loads(json.dumps(as_document(told(sql)[1]), allow_nan=False))
    ids = [node["id"] for node in document["nodes"]]
    assert len(set(ids)) == len(ids)
    pairs = [(edge["from"], edge["to"]) for edge in document["edges"]]
    assert sorted(pairs) == sorted((i, node["id"]) for node in document["nodes"] for i in node["inputs"])
    assert set(ids) - {start for start, _ in pairs} == {document["root"]}
    assert sum(site["nodes"] for site in document["sites"]) == len(ids)


def test_an_id_stays_when_the_plan_above_changes() -> None:
    ids = [{node.id: node.what for node in every(told(sql)[1].root)} for sql in QUERIES[1:3]]
    again = {node.id: node.what for node in every(told(OVER_DATABASES + " HAVING count(*) > 1")[1].root)}
    assert ids[0] == {node.id: node.what for node in every(told(OVER_DATABASES)[1].root)}
    shared = ids[0].keys() & again.keys()
    assert {ids[0][each] for each in shared} >= {"join m.owner = p.person", "table people by person"}
    assert all(ids[0][each] == again[each] for each in shared)


def test_what_another_site_runs_stands_below_its_answer_with_how_it_joins() -> None:
    plan, found = told(EXAMPLE14)
    (leaf,) = fragments_in(plan)
    lines = as_text(found).splitlines()
    start = next(i for i, line in enumerate(lines) if "answer of the gateways" in line)
    depth = len(lines[start]) - len(lines[start].lstrip())
    inside = [line for line in lines[start + 1 :] if line.startswith(" " * (depth + 1))]
    assert len(inside) == len(below(leaf.plan))
    assert all("sensor: gateways" in line for line in inside)
    assert [f", {leaf.method} join in the network" in line for line in inside].count(True) == 1
    document = as_document(found)
    assert {n["fragment"] for n in document["nodes"] if n["site"] == "sensor: gateways"} == {leaf.name}
    crossing = [edge for edge in document["edges"] if edge["crosses"]]
    assert len(crossing) == 1 + 2  # the answer, and what Spark reads for two leaves


def test_what_runs_in_a_database_is_marked_with_its_name() -> None:
    text = as_text(told(OVER_DATABASES)[1])
    assert sum("database: hall" in line for line in text.splitlines()) >= 3
    assert "lost: tables of database:hall one by one" in text


def test_what_is_read_twice_is_shown_once_as_text() -> None:
    text = as_text(told(TWICE)[1])
    assert text.count("(1) as above") == 1
    assert text.count("window loads") == 1


def choice(goal: Goal = ENERGY) -> Choice:
    return Choice(
        goal,
        Alternative("semi", Costs(2.0, 100.0, 0.5)),
        (
            Alternative("apart", Costs(1.0, 400.0, 2.0)),
            Alternative("slow", Costs(3.0, 100.0, 0.5)),
            Alternative("twin", Costs(2.0, 100.0, 0.5)),
            Alternative("cheap", Costs(9.0, 9.0, 0.1)),
            Alternative("barred", Costs(9.0, 9.0, 0.1), "lifetime 12 days, at least 30 asked"),
        ),
    )


def test_why_an_alternative_lost_is_said_by_the_goal() -> None:
    made = choice()
    assert [made.why_lost(each) for each in made.lost] == [
        "4 times the energy",
        "as much energy, more latency",
        "as good; the first found stays",
        "0.2 times the energy; the better one by now",
        "lifetime 12 days, at least 30 asked",
    ]


def test_the_pareto_set_has_what_may_run_and_nothing_beats() -> None:
    assert [each.name for each in choice().pareto()] == ["semi", "apart", "twin", "cheap"]


def test_scores_that_no_estimate_tells_apart_are_told_with_what_decided() -> None:
    made = Choice(
        Goal((("latency", 1.0),)),
        Alternative("semi", Costs(1.0, 100.0, 0.5)),
        (
            Alternative("near", Costs(1.004, 100.0, 0.5)),
            Alternative("faster", Costs(0.99, 100.0, 0.6)),
            Alternative("free", Costs(0.99, 100.0, 0.5)),
        ),
    )
    assert [made.why_lost(each) for each in made.lost] == [
        "0.4 % more latency",
        "1 % less latency, which is as good, but more energy",
        "1 % less latency; the better one by now",
    ]


def test_alternatives_that_cost_the_same_as_far_as_is_shown_are_one_line() -> None:
    every = (Costs(1.0, 48.0, 0.5), Costs(1.0001, 48.0, 0.5), Costs(1.0, 48.0, 0.5), Costs(1.1, 48.0, 0.5))
    lost = tuple(Alternative(f"way {i}", each) for i, each in enumerate(every))
    made = ExplainedPlan(told(TWICE)[1].root, Choice(ENERGY, Alternative("semi", Costs(1, 9, 0.5)), lost))
    found = [line for line in as_text(made).splitlines() if "lost:" in line]
    assert [line.split("  ")[1] for line in found] == ["lost: way 0 (and 2 more alike)", "lost: way 3"]
    assert len(as_document(made)["choice"]["lost"]) == 4


def test_the_costs_of_a_choice_are_in_the_text_and_the_document() -> None:
    root = told(TWICE)[1].root
    made = ExplainedPlan(root, choice())
    assert "chosen for energy: semi  latency 2 s  bytes 100 B/s  energy 0.5 J/s  (Pareto)" in as_text(made)
    document = as_document(made)["choice"]
    assert document["chosen"]["costs"] == {"latency": 2.0, "bytes": 100.0, "energy": 0.5}
    lost = {each["name"]: each for each in document["lost"]}
    assert lost["apart"]["why"] == "4 times the energy"
    assert list(lost) == ["cheap", "slow", "twin", "apart", "barred"]  # the best by the goal first
    assert (lost["apart"]["price"], lost["apart"]["times"]["bytes"]) == (4.0, 4.0)
    assert [each["refused"] for each in lost.values()] == [False, False, False, False, True]
    assert document["goal"]["weights"] == {"energy": 1.0}


@pytest.mark.parametrize(
    ("expected", "there", "times"), [(10, 10, None), (10, 30, 3.0), (10, 1, 0.1), (0.2, 1, None), (0, 5, 500)]
)
def test_an_estimate_far_from_what_is_there_says_by_how_much(expected, there, times) -> None:
    found = off_by(Estimate(expected, 0), Kept(rows=there))
    assert found == (times if times is None else pytest.approx(times))


def test_a_single_name_is_a_view_and_one_that_is_unknown_is_said_to_be() -> None:
    session = MemoryLog().session(CATALOG)
    session.create_view("CREATE VIEW busy AS SELECT machine FROM loads WHERE cpu > 0.5")
    with pytest.raises(QueryError, match=r"unknown view bussy; there are busy.*did you mean busy\?"):
        session.explain("bussy")


def test_a_running_plan_says_how_its_joins_were_sought_and_how_often_it_changed() -> None:
    session = MemoryLog().session(CATALOG)
    session.create_view(
        "CREATE VIEW v AS SELECT l.room FROM loads l, software s, loads m "
        "WHERE l.machine = s.machine AND m.machine = s.machine AND l.cpu > 0.5"
    )
    found = session.explain("v")
    assert found.search is not None
    assert found.search.considered > 3
    assert found.search.observed is not None
    assert f"{found.search.considered} ways to join considered, " in as_text(found)
    assert as_document(found)["search"]["switches"] == 0
    session.questions.changes = lambda _view: (2, 1, 31.0)
    told = "2 switches, 1 given up, a tick was to cost 31, by what was seen a tick costs"
    assert told in as_text(session.explain("v"))


def test_of_what_runs_the_rows_that_were_seen_are_told_and_not_a_guess() -> None:
    log = MemoryLog()
    session = log.session(CATALOG)
    log.write(0, "loads", *((f"m{i}", "r", 0.9, 1) for i in range(40)))
    log.tick(session)
    text = "SELECT a.machine FROM loads a, loads b WHERE a.n = b.n AND a.cpu > 0.5"
    session.create_view(f"CREATE VIEW v AS {text}")
    log.tick(session)
    nodes = as_document(session.explain("EXPLAIN ANALYZE v"))["nodes"]
    found = [node for node in nodes if node["kind"] in ("HashJoin", "Map", "Filter")]
    assert found
    for node in found:
        assert node["rows"]["value"] == pytest.approx(node["observed"]["rows"], rel=0.2), node["what"]
        assert node["rows"]["source"] == "observed"


def test_a_running_plan_says_which_sites_it_is_without() -> None:
    made = ExplainedPlan(told(TWICE)[1].root, missing=("database:hall", "floor-2"))
    assert "without database:hall, floor-2: not up, or still to answer" in as_text(made)
    assert as_document(made)["missing"] == ["database:hall", "floor-2"]


def test_a_running_plan_says_what_each_site_does_in_a_tick() -> None:
    plan, _ = told(TWICE)
    did = Kept(1, None, None, 5, 5, 0.5, 3, Passed(10, 2_000_000, 40, 0.1))
    found = explained(plan, CostModel(Statistics()).estimate, lambda _: did)
    nodes = len(below(plan))
    assert (
        f"stream: operators: {nodes} nodes, {4.0 * nodes:.1f} rows and {10.0 * nodes:.2f} ms a tick"
        in as_text(found)
    )
    document = as_document(found)
    assert {n["observed"]["rows_a_second"] for n in document["nodes"] if n["observed"]} == {20.0}
