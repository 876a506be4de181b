"""Why a row is not in a view, asked of the plan that runs."""

import random
import time

import pytest

from engine.plan.logical import Plan
from engine.queries.paths import cheapest
from engine.queries.reachability import nonlinear_closure, reach_sizes, reachable, unreachable
from engine.queries.trees import same_generation
from engine.session import Session
from engine.views.lineage import Fact
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from engine.views.why.gap import Gap
from engine.views.why.missing import Missing
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.test_engine_why_session import CATALOG, NODES, SCAN, session_of

CHAIN = {("a", "b", 1), ("b", "c", 1), ("d", "e", 1)}


def missing(session: Session, name: str, row, steps: int = 10**6) -> Missing:
    node = session._views[name].node
    assert node is not None
    return session._upkeep.explainer()[0].missing(Fact(node, row), Effort(10, steps, time.monotonic))


def gaps(plan: Plan, links, row) -> tuple[Gap, ...]:
    return missing(session_of(plan, links), "view", row).gaps


def asked(text: str, links, row) -> tuple[Gap, ...]:
    log = MemoryLog([Entry(1, [Change("link", 1, link) for link in sorted(links)])])
    session = log.session(CATALOG)
    session.create_view(f"CREATE VIEW v AS {text}")
    log.tick(session)
    return missing(session, "v", row).gaps


def test_a_pair_that_is_cut_off_is_told_by_the_cut():
    (gap,) = gaps(reachable(SCAN), CHAIN, ("a", "e"))
    assert gap.reason is Reason.CUT_OFF
    assert gap.condition == "3 reached, 1 lead there, and none of link between"


def test_what_nothing_leads_to_or_from_is_a_missing_link():
    (gap,) = gaps(reachable(SCAN), CHAIN, ("a", "z"))
    assert (gap.reason, gap.of, gap.wanted) == (Reason.NO_ROW, "link", {"dst": "z"})
    (gap,) = gaps(reachable(SCAN), CHAIN, ("z", "b"))
    assert (gap.reason, gap.of, gap.wanted) == (Reason.NO_ROW, "link", {"src": "z"})


def test_a_cost_that_is_not_the_best_is_outranked_by_the_one_that_is():
    (gap,) = gaps(cheapest(SCAN), CHAIN, ("a", "c", 7))
    assert (gap.reason, gap.found) == (Reason.OUTRANKED, (("a", "c", 2),))


def test_rules_are_told_one_by_one_each_as_far_as_it_gets():
    found = gaps(same_generation(SCAN, "src", "dst"), {("a", "b", 1), ("c", "d", 1)}, ("a", "c"))
    assert found
    assert all(gap.reason in (Reason.NO_ROW, Reason.CONDITION) for gap in found)
    assert any(gap.found for gap in found)


def test_an_aggregate_has_another_value():
    (gap,) = gaps(reach_sizes(SCAN), CHAIN, ("a", 9))
    assert (gap.reason, gap.found) == (Reason.OTHER_VALUE, (("a", 2),))


def test_what_blocks_an_anti_join_is_named():
    (gap,) = gaps(unreachable(SCAN), CHAIN, ("a", "c"))
    assert gap.reason is Reason.BLOCKED
    assert gap.found == (("a", "c"),)


def test_a_join_is_asked_on_the_right_for_what_it_found_on_the_left():
    text = "SELECT l.src, m.dst FROM link l, link m WHERE l.dst = m.src"
    (gap,) = asked(text, CHAIN, ("a", "z"))
    assert gap.of == "link"
    assert gap.wanted["dst"] == "z"


def test_a_condition_that_is_not_met_is_told_with_the_rows_that_do_not_meet_it():
    text = "SELECT l.src, l.dst FROM link l, link m WHERE l.dst = m.src AND l.cost + m.cost > 5"
    (gap,) = asked(text, CHAIN, ("a", "b"))
    assert gap.reason is Reason.CONDITION
    assert gap.found


def test_an_effort_that_runs_out_is_said():
    session = session_of(same_generation(SCAN, "src", "dst"), {(x, y, 1) for x in NODES for y in NODES})
    assert missing(session, "view", ("z", "a"), steps=2).is_truncated


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "plan", [reachable(SCAN), nonlinear_closure(SCAN), unreachable(SCAN), same_generation(SCAN, "src", "dst")]
)
def test_every_missing_row_has_a_reason_and_no_row_that_is_said_to_be_missing_is_there(plan, seed):
    chosen = random.Random(seed)
    links = {(chosen.choice(NODES), chosen.choice(NODES), 1) for _ in range(7)}
    session = session_of(plan, links)
    there = set(rows_of(session, "view"))
    for row in [(x, y) for x in NODES for y in NODES if (x, y) not in there][:12]:
        found = missing(session, "view", row)
        assert found.gaps
        for gap in found.gaps:
            if gap.reason is Reason.NO_ROW and gap.of == "link":
                places = ["src", "dst", "cost"]
                assert not [
                    link for link in links if all(link[places.index(c)] == v for c, v in gap.wanted.items())
                ]


def test_a_cost_that_nobody_has_is_not_outranked_by_somebody_elses():
    log = MemoryLog([Entry(1, [Change("link", 1, link) for link in sorted(CHAIN)])])
    session = log.session(CATALOG)
    session.install("cheap", cheapest(SCAN))
    session.create_view("CREATE VIEW far AS SELECT c.src, c.cost FROM cheap c WHERE c.cost > 1")
    log.tick(session)
    (gap,) = missing(session, "far", ("zz", 9)).gaps
    assert gap.reason is Reason.NO_ROW
    assert (gap.of, gap.wanted) == ("link", {"src": "zz"})
    assert [gap.reason for gap in missing(session, "far", ("d", 9)).gaps] == [Reason.NO_ROW]
