"""Every erratum that can be run: the literal variant fails where the operators hold.

E19 (swapped names) and E25 (figures that the topology lacks) say nothing that runs.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

import pytest

from engine.network.dred import DRed
from engine.network.network import Network
from engine.operators.ship import EAGER, LAZY
from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests import network_fuzz
from tests.errata import joins, selections, shipping
from tests.naive_rules import Sets, evaluate
from tests.network_fuzz import REACHABLE, Trial, Wrong, run
from tests.rules import program

SITE = "engine.network.site."
NETWORK = "engine.network.network."
PATHS = ("cheapest", "two bests", "widest")
CLOSURES = ("reachable", "non-linear", "mutual", "same generation")


class Erratum(NamedTuple):
    """What is put in an operator's place, and where that shows."""

    patches: Mapping[str, Any]
    programs: tuple[str, ...] = CLOSURES
    overlap: float = 0.0
    policies: tuple[Any, ...] = (EAGER, LAZY)
    seed: int = 1
    batch: int = 3


ERRATA = {
    "E1 deletions end at the fixpoint": Erratum({SITE + "RetractableJoin": joins.NeverInformed}),
    "E2 only the base stream is heard": Erratum({NETWORK + "Network": shipping.TellsNobody}),
    "E3 no tombstones": Erratum({SITE + "Tombstones": shipping.NoTombstones}, overlap=0.9),
    "E4 a variable is used again": Erratum(
        {NETWORK + "Incarnations": shipping.SameVariableAgain}, overlap=0.9
    ),
    "E5 and-not where restrict is meant": Erratum(
        {NETWORK + "Incarnations": shipping.SameVariableAgain, "algebra": shipping.AndNot}, batch=1
    ),
    "E6 a conjunction is deleted": Erratum({NETWORK + "Site": shipping.DeletesConjunctions}),
    "E7 the join hears of deaths only": Erratum({SITE + "RetractableJoin": joins.InformedOfDeathsOnly}),
    "E8 a join keeps one row a key": Erratum({SITE + "RetractableJoin": joins.OneRowAKey}),
    "E8 a selection keeps one row a group": Erratum({SITE + "AggSel": selections.OneRowAGroup}, PATHS),
    "E9 a known row is overwritten": Erratum({SITE + "RetractableJoin": joins.KnownByKey}),
    "E10 one side expires": Erratum({SITE + "RetractableJoin": joins.OneSideExpires}),
    "E11 nothing is released": Erratum({SITE + "MinShip": shipping.KeepsBack}, policies=(LAZY,)),
    "E12 a selection overwrites": Erratum({SITE + "AggSel": selections.Overwrites}, PATHS),
    "E13 only the first aggregate is set": Erratum(
        {SITE + "AggSel": selections.FirstAggregateOnly}, ("two bests",)
    ),
    "E14 suppressed by one, best by another": Erratum(
        {SITE + "AggSel": selections.SuppressesPerAggregate}, ("two bests",), seed=7
    ),
    "E15 the group goes with its row": Erratum({SITE + "AggSel": selections.DropsTheGroup}, PATHS),
    "E16 an empty group inserts null": Erratum(
        {SITE + "AggSel": selections.InsertsNull}, ("cheapest", "widest")
    ),
    "E17 other derivations of the best stay": Erratum(
        {SITE + "AggSel": selections.KeepsDerivationsBack}, PATHS
    ),
    "E18 suppression is ignored": Erratum({SITE + "Fixpoint": selections.IgnoresSuppression}, PATHS),
    "E24 one of a tie": Erratum({SITE + "AggSel": selections.OneOfATie}, PATHS),
}


def trials(erratum: Erratum, count: int):
    random = Random(erratum.seed)
    for _ in range(count):
        name, policy = random.choice(erratum.programs), random.choice(erratum.policies)
        sites = random.choice((2, 3, 4))
        rules, seed = network_fuzz.PROGRAMS[name], random.randrange(10**9)
        yield Trial(name, rules, sites, policy, erratum.overlap, 14, seed, erratum.batch)


@pytest.mark.parametrize("name", ERRATA)
def test_the_printed_text_fails_where_the_operators_hold(name, monkeypatch):
    erratum = ERRATA[name]
    for trial in trials(erratum, count=40):
        run(trial, network_fuzz.make_network)
    algebra = erratum.patches.get("algebra")
    for target, variant in erratum.patches.items():
        if "." in target:
            monkeypatch.setattr(target, variant)
    kind = erratum.patches.get(NETWORK + "Network", Network)
    shared = algebra() if algebra else None

    def literal(rules, sites, policy):
        return kind(rules, (lambda: shared) if shared else Why, sites, policy)

    assert any(is_wrong(trial, literal) for trial in trials(erratum, count=400))


def is_wrong(trial, make):
    try:
        run(trial, make)
    except Wrong:
        return True
    return False


def test_e5_restricting_is_right_with_the_same_variable_if_nothing_overlaps(monkeypatch):
    monkeypatch.setattr(NETWORK + "Incarnations", shipping.SameVariableAgain)
    for trial in trials(ERRATA["E5 and-not where restrict is meant"], count=60):
        run(trial, network_fuzz.make_network)


def test_e20_the_last_row_of_the_table_is_not_shipped_as_printed():
    network = Network(REACHABLE, Why, 3, None, owner="ABC".index)
    network.insert(0, [("A", "B"), ("B", "C"), ("C", "A"), ("C", "B")])
    for _ in range(3):
        network.channels.deliver_round()
    last = {
        (sender, receiver, plain)
        for sender, receiver, message in network.channels.under_way()
        for row, plain in message.content.rows
        if row == ("C", "B")
    }
    assert last == {(1, 2, ((1, 2, 3, 4),))}


def test_e21_sixteen_messages_of_dred_leave_the_last_round_out():
    engine = DRed(REACHABLE, 3, owner="ABC".index)
    engine.insert(0, [("A", "B"), ("B", "C"), ("C", "A"), ("C", "B")])
    engine.settle()
    before = engine.channels.traffic.rows.copy()
    engine.delete(0, [("C", "B")])
    engine.settle()
    shipped = (engine.channels.traffic.rows - before).total()
    assert shipped == 22
    assert shipped != 16 == 1 + 9 + 6


def test_e22_paths_without_a_selection_never_end_on_a_cycle():
    endless = program("path(x, y, c) :- edge(x, y, c)", "path(x, y, c + w) :- edge(x, z, w), path(z, y, c)")
    network = Network(endless, Why, 2, LAZY)
    network.insert(0, [(1, 2, 1), (2, 1, 1)])
    for rounds in range(1, 200):
        assert not network.channels.are_empty, rounds
        network.channels.deliver_round()
    assert len(network.view(1)) > 200


def test_e23_a_region_as_printed_has_sensors_that_nothing_triggered():
    step = "active(r, y) :- active(r, x), near(x, y), triggered(x)"
    literal = program("active(r, x) :- seed(r, x), triggered(x)", step)
    prose = program("active(r, x) :- seed(r, x), triggered(x)", step + ", triggered(y)")
    seeds, hot, near = {(1, 10): True}, {(10,): True, (11,): True}, {(10, 11): True, (11, 12): True}
    meant = set(evaluate(prose, [seeds, hot, near], Sets())[3])
    network = Network(literal, Why, 2)
    for relation, rows in enumerate((seeds, hot, near)):
        network.insert(relation, rows)
    network.settle()
    assert set(network.view(3)) - meant == {(1, 12)}


def test_e26_two_selections_do_not_cost_half_of_one():
    random = Random(26)
    edges = [
        (x, y, random.randrange(1, 9), 1) for x in range(12) for y in random.sample(range(12), 4) if x != y
    ]
    rules = (
        "path(x, y, c, n) :- edge(x, y, c, n)",
        "path(x, y, c + w, n + one) :- edge(x, z, w, one), path(z, y, c, n)",
    )
    shipped = []
    for best in ("min 2", "min 2, min 3"):
        network = Network(program(*rules, best={"path": ((0, 1), best)}), Absorption, 4, LAZY)
        network.insert(0, edges)
        network.settle()
        shipped.append(network.channels.traffic.rows.total())
    single, multi = shipped
    assert multi > single / 2
