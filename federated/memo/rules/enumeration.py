"""R0 to R5: which alternatives there are.

    R0, R1   SearchSpace(E, P, a)  :-  Expr(E, P), split(E, P, a)
    R2, R3   SearchSpace(c, p, a)  :-  SearchSpace(… child (c, p) …), ¬isleaf(c), split(c, p, a)
    R4, R5   the same of leaves, whose alternatives are scans

Split, isleaf and phyOp are one function of the space, ways: an expression of one relation is cut into scans.
Nothing is enumerated before an alternative that reads it is kept.
"""

from federated.memo.rules.costing import lower_bound
from federated.memo.rules.keeping import offer
from federated.memo.rules.tables import UNKNOWN, And, Or, Tables


def reach(tables: Tables, node: Or) -> None:
    """Derive the alternatives of a node, each with its local cost and a first lower bound (R6)."""
    node.reached = True
    space = tables.space
    for place, (way, inputs) in enumerate(zip(space.ways(node.key), space.inputs(node.key), strict=True)):
        below = tuple([tables.entry(key) for key in inputs])
        alternative = And(node, place, way, below, space.local(node.key, way), tables.changes)
        node.alternatives.append(alternative)
        node.lows.append(lower_bound(alternative))
        node.costs.append(UNKNOWN)
        for child in below:
            child.parents.append(alternative)
    tables.agenda.select(node)
    offer(tables, node)
