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
from federated.memo.searched import children


def reach(tables: Tables, node: Or) -> None:
    """Derive the alternatives of a node, each with its local cost and a first lower bound (R6)."""
    node.reached = True
    local = tables.space.local
    for place, way in enumerate(tables.space.ways(node.key)):
        below = tuple(map(tables.entry, children(way)))
        alternative = And(node, place, way, below, local(node.key, way))
        node.alternatives.append(alternative)
        node.lows.append(lower_bound(alternative))
        node.costs.append(UNKNOWN)
        for child in below:
            child.parents.append(alternative)
    tables.agenda.select(node)
    offer(tables, node)
