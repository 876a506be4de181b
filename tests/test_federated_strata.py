"""A recursive stratum gets the physical form that its rules allow, whatever order its columns are in."""

import pytest

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Literal
from engine.plan.logical import Best, Fixpoint, Plan, Scan
from engine.plan.physical import BestPaths, Closure, Pick, Recursive, Unique, leaves
from engine.queries.clauses import atom, clause, least, term, whole
from engine.queries.points_to import points_to
from federated.optimizer import FederatedOptimizer


def base(name: str, *columns: str, kind: Type = Type.BIGINT, nullable: bool = False) -> Plan:
    columns_ = tuple(Column(column, kind, nullable) for column in columns)
    return Scan(Relation(name, RelationKind.TABLE, columns_), None)


LINK = base("link", "src", "dst", "cost")
EDGE = base("edge", "src", "dst")
SHUT = base("shut", "src")
PAIR = clause({"src": "x", "dst": "y"}, atom(EDGE, "x", "y"))


def recursion(head, *body, seed=PAIR, where=(), group=(), best=()) -> Fixpoint:
    """One recursive rule; the string H stands for the relation itself."""

    def steps(own):
        return [clause(head, *[atom(own if p == "H" else p, *v) for p, *v in body], where=where)]

    return least("h", seed, steps, group, best)


def planned(plan: Plan):
    return FederatedOptimizer().optimize(plan)


XY = {"src": "x", "dst": "y"}
PASSED_ON = {
    "right-linear": recursion(XY, (EDGE, "x", "z"), ("H", "z", "y")),
    "left-linear": recursion(XY, ("H", "x", "z"), (EDGE, "z", "y")),
    "doubling": recursion(XY, ("H", "x", "z"), ("H", "z", "y")),
    "several closed": recursion(XY, (EDGE, "x", "u"), (LINK, "u", "z", "c"), ("H", "z", "y"), (SHUT, "z")),
    "a closed condition": recursion(
        XY, (LINK, "x", "z", "c"), ("H", "z", "y"), where=[term("<", "c", whole(9))]
    ),
    "nothing handed on": recursion({"src": "x"}, (EDGE, "x", "z"), ("H", "z"), seed=SHUT),
}
NEEDS_ALL_RULES = {
    "same generation": recursion(XY, (EDGE, "u", "x"), ("H", "u", "v"), (EDGE, "v", "y")),
    "what is handed on is asked": recursion(
        XY, (EDGE, "x", "z"), ("H", "z", "y"), where=[term("<>", "x", "y")]
    ),
    "squared": recursion(XY, ("H", "x", "u"), ("H", "u", "v"), ("H", "v", "y")),
    "turned round": recursion(XY, (EDGE, "x", "z"), ("H", "y", "z")),
}


def costed(combined, best: str, kind: Type = Type.BIGINT) -> Fixpoint:
    link = base("link", "src", "dst", "cost", kind=kind)
    head = {"src": "x", "dst": "y", "cost": combined}
    return recursion(
        head, (link, "x", "z", "w"), ("H", "z", "y", "c"), seed=link, group=(0, 1), best=(Best(best, 2),)
    )


@pytest.mark.parametrize("plan", PASSED_ON.values(), ids=PASSED_ON)
def test_what_hands_columns_on_runs_as_bitsets(plan):
    assert isinstance(planned(plan), Closure)


@pytest.mark.parametrize("plan", NEEDS_ALL_RULES.values(), ids=NEEDS_ALL_RULES)
def test_what_does_not_runs_by_its_rules(plan):
    assert isinstance(planned(plan), Recursive)


@pytest.mark.parametrize(("best", "combine"), [("min", "+"), ("min", "greatest"), ("max", "least")])
def test_the_best_of_one_cost_runs_as_matrices(best, combine):
    form = planned(costed(term(combine, "w", "c"), best))
    assert isinstance(form, BestPaths)
    assert (form.best, form.combine) == (best, combine)
    assert form.edges == form.seeds


def test_a_count_of_hops_is_a_cost():
    assert isinstance(planned(costed(term("+", "c", whole(1)), "min")), BestPaths)


def test_the_longest_path_and_a_cost_of_text_run_by_their_rules():
    assert isinstance(planned(costed(term("+", "w", "c"), "max")), Recursive)
    assert isinstance(planned(costed(term("least", "w", "c"), "max", Type.TEXT)), Recursive)


def test_a_cost_that_is_no_sum_of_the_two_runs_by_its_rules():
    doubled = term("+", term("*", "c", whole(2)), "w")
    assert isinstance(planned(costed(doubled, "min")), Recursive)


def test_the_parts_of_a_recursion_are_one_node_where_they_are_equal():
    form = planned(PASSED_ON["right-linear"])
    assert isinstance(form, Closure)
    assert form.edges == form.seeds
    assert isinstance(form.edges, Unique)


def test_several_relations_are_one_stratum_with_a_pick_each():
    new, assign, load, store = (base(name, "v", "w") for name in ("new", "assign", "load", "store"))
    variables = planned(points_to(new, assign, load, store))
    heap = planned(points_to(new, assign, load, store, heap=True))
    assert isinstance(variables, Pick)
    assert isinstance(heap, Pick)
    assert variables.child == heap.child


def test_a_constant_meets_the_moving_column():
    plan = recursion(XY, (EDGE, "x", "z"), ("H", "z", "y"), where=[term("=", "z", Literal(3, Type.BIGINT))])
    assert isinstance(planned(plan), Closure)


def test_best_paths_over_very_many_edges_run_by_their_rules():
    optimizer = FederatedOptimizer()
    plan = costed(term("+", "w", "c"), "min")
    few = optimizer.optimize(plan)
    assert isinstance(few, BestPaths)
    (leaf,) = set(leaves(few))
    optimizer.observe(leaf, 100_000)
    assert isinstance(optimizer.optimize(plan), Recursive)
