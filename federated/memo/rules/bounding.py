"""B0 to B4: what a node may cost at most without being of no use.

    B0   Bound(root)  =  Best(root)
    B1   PB(c, a)     =  Bound(E, P) − Local(a) − Low(siblings)       for each kept a: E, P that reads c
    B3   MaxB(c)      =  max PB(c, a)                                 a parent with no bound yet gives +∞
    B4   Bound(c)     =  min(Best(c), MaxB(c))
         keep a of c  iff  Low(a) ≤ Bound(c) + ε · Best(root)

The maximum is over all kept parents: over a part of them it prunes sub-plans of the best plan. The test is
≤: by < the best plan itself goes. A bound is a difference, so what exceeds it by rounding only is kept (ε; 0
where costs are exact). With aggregate selection alone the bound is Best; with neither there is none.
"""

from federated.memo.rules.keeping import offer
from federated.memo.rules.tables import UNKNOWN, And, Or, Tables


def limit(tables: Tables, node: Or) -> None:
    """Derive the bound of a node, test its alternatives, and pass a new bound down."""
    derive_bound(tables, node)
    offer(tables, node)
    if node.bound != node.passed and tables.prunings.bounding:
        node.passed = node.bound
        for alternative in node.alternatives:
            if alternative.kept:
                for child in alternative.children:
                    tables.agenda.limit(child)


def derive_bound(tables: Tables, node: Or) -> None:
    node.bound = _bound(tables, node)
    if node.pinned:
        _loosen(tables)


def _bound(tables: Tables, node: Or) -> float:
    if tables.prunings.bounding and not node.pinned:
        return min(node.best, max((_parent_bound(a, node) for a in node.users), default=-UNKNOWN))
    if tables.prunings.suppression or tables.prunings.bounding:
        return node.best
    return UNKNOWN


def _parent_bound(alternative: And, child: Or) -> float:
    bound = alternative.node.bound - alternative.local
    for sibling in alternative.children:
        if sibling is not child:
            bound -= sibling.low
    return bound


def _loosen(tables: Tables) -> None:
    """ε of the best cost of a root, once all are known."""
    best = max(root.best for root in tables.roots)
    tables.slack = tables.rounding * best if best < UNKNOWN else 0
