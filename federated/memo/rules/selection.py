"""R9 and R10: the best cost of an OR node, and the plan that has it.

    R9    Best(E, P, min c)  :-  PlanCost(a: E, P, c)            Low(E, P)  =  min Low(a)
    R10   BestPlan(E, P, a)  :-  Best(E, P, c), PlanCost(a, c)   of several the first

The minimum keeps all costs: when the best goes or rises, the next best is at hand. A node whose best stays as
it was tells nobody.
"""

from federated.memo.rules.costing import cost_again, low_again
from federated.memo.rules.tables import UNKNOWN, And, Or, Tables


def select(tables: Tables, node: Or) -> None:
    """Derive Low and Best of a node, and what follows above it."""
    low, best = min(node.lows, default=UNKNOWN), min(node.costs, default=UNKNOWN)
    if low != node.low:
        _replace_low(tables, node, low)
    if best != node.best:
        _replace_best(tables, node, best)


def _replace_low(tables: Tables, node: Or, low: float) -> None:
    """An increase goes to those who keep the node, a decrease to all who could."""
    told = node.parents if low < node.low else node.users
    node.low = low
    for alternative in told:
        low_again(tables, alternative)
        if tables.prunings.bounding and alternative.kept:
            for sibling in alternative.children:
                if sibling is not node:
                    tables.agenda.limit(sibling)


def _replace_best(tables: Tables, node: Or, best: float) -> None:
    node.best = best
    for alternative in node.users:
        cost_again(tables, alternative)
    tables.agenda.limit(node)


def best_plan(node: Or) -> And:
    """R10."""
    return node.alternatives[node.costs.index(node.best)]
