"""C1, R6 to R8: what a plan costs, and what it costs at least.

    R6   PlanCost(a, k)            :-  SearchSpace(a: scan), Local(a, k)
    R7   PlanCost(a, k + b)        :-  SearchSpace(a: E ← c), Best(c, b), Local(a, k)
    R8   PlanCost(a, k + bl + br)  :-  SearchSpace(a: E ← l, r), Best(l, bl), Best(r, br), Local(a, k)

    Low(a)  =  k + Σ Low(children)        Low of a node that is not enumerated is 0

The rules as printed refuse children that are leaves, and read every cost of a child instead of its best: then
no join gets a cost, or one for each whole tree below it. Low is what makes the bounds valid while the best of
a sibling is not known yet; of what is kept both are equal in the end.
"""

from federated.memo.rules.tables import And, Tables


def plan_cost(alternative: And) -> float:
    cost = alternative.local
    for child in alternative.children:
        cost += child.best
    return cost


def lower_bound(alternative: And) -> float:
    low = alternative.local
    for child in alternative.children:
        low += child.low
    return low


def local_again(tables: Tables, alternative: And) -> None:
    """C1: derive the local cost, unless nothing changed since it was."""
    if alternative.as_of != tables.changes:
        alternative.as_of = tables.changes
        alternative.local = tables.space.local(alternative.node.key, alternative.way)


def cost_again(tables: Tables, alternative: And) -> None:
    """Derive the cost of a kept alternative: Local or the best of a child was replaced."""
    node = alternative.node
    cost = plan_cost(alternative)
    if cost != node.costs[alternative.place]:
        node.costs[alternative.place] = cost
        tables.agenda.select(node)


def low_again(tables: Tables, alternative: And) -> None:
    """Derive the lower bound of an alternative: Local or that of a child was replaced."""
    node = alternative.node
    low = lower_bound(alternative)
    if low != node.lows[alternative.place]:
        node.lows[alternative.place] = low
        tables.agenda.select(node)
        if alternative.kept != (low <= node.bound + tables.slack):
            tables.agenda.limit(node)
