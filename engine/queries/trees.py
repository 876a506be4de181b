"""Trees: who is of one generation, how high a subtree is, how uneven.

A tree is given by rows (child, parent), each child with one parent. What holds of any graph says so.

References:
    Bancilhon, Maier, Sagiv, Ullman. Magic Sets and Other Strange Ways to Implement Logic Programs.
    PODS 1986: same generation.
"""

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Field
from engine.plan.logical import Aggregate, AggregateCall, Fixpoint, Plan, Project
from engine.queries.clauses import atom, clause, least, taken, term, whole
from engine.queries.reachability import nodes, without


def same_generation(tree: Plan, child: str = "child", parent: str = "parent") -> Fixpoint:
    """Return who is as far from a common ancestor as whom; of any graph.

    same(x, y) :- parent(x, p), parent(y, p).
    same(x, y) :- parent(x, p), same(p, q), parent(y, q).
    """
    up = taken(tree, child, parent)
    head = {"one": "x", "other": "y"}
    return least(
        "same_generation",
        clause(head, atom(up, "x", "p"), atom(up, "y", "p")),
        lambda same: [clause(head, atom(up, "x", "p"), atom(same, "p", "q"), atom(up, "y", "q"))],
    )


def depths(tree: Plan, child: str = "child", parent: str = "parent") -> Fixpoint:
    """Return who is below whom, and how deep; on a cycle there is no end to it, and its budget stops it.

    below(x, x, 0)     :- node(x).
    below(x, y, 1 + n) :- parent(z, x), below(z, y, n).
    """
    up = taken(tree, child, parent)
    return least(
        "depths",
        clause({"top": "x", "node": "x", "depth": whole(0)}, atom(nodes(up, child, parent), "x")),
        lambda below: [
            clause(
                {"top": "x", "node": "y", "depth": term("+", whole(1), "n")},
                atom(up, "z", "x"),
                atom(below, "z", "y", "n"),
            )
        ],
    )


def subtree_height(tree: Plan, child: str = "child", parent: str = "parent") -> Plan:
    """Return how deep the deepest node below each is; 0 of a leaf.

    height(x, max(n)) :- below(x, _, n).
    """
    return extremes(depths(tree, child, parent), ("max",), ("height",))


def imbalance(tree: Plan, child: str = "child", parent: str = "parent") -> Plan:
    """Return how much deeper the deepest leaf below each node is than the one least deep.

    imbalance(x, max(n) - min(n)) :- below(x, y, n), leaf(y).        leaf(y) :- node(y), not parent(_, y).
    """
    up = taken(tree, child, parent)
    inner = clause({"node": "p"}, atom(up, "_", "p"))
    leaf = without(nodes(up, child, parent), inner)
    reached = clause(
        {"top": "x", "node": "y", "depth": "n"},
        atom(depths(tree, child, parent), "x", "y", "n"),
        atom(leaf, "y"),
    )
    both = extremes(reached, ("max", "min"), ("deepest", "least_deep"))
    top, deepest, least_deep = (Field(i, c.type, c.name) for i, c in enumerate(both.columns))
    difference = Call("-", (deepest, least_deep), Type.BIGINT)
    return Project(both, (top, difference), (both.columns[0], Column("imbalance", Type.BIGINT)))


def extremes(depths: Plan, functions: tuple[str, ...], names: tuple[str, ...]) -> Plan:
    """Return aggregates of the depths below each node."""
    top, depth = depths.columns[0], Field(2, Type.BIGINT, "depth")
    columns = (top, *(Column(name, Type.BIGINT) for name in names))
    calls = tuple(AggregateCall(function, depth) for function in functions)
    return Aggregate(depths, (Field(0, top.type, top.name),), calls, columns)
