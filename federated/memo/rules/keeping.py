"""Which alternatives are kept.

    kept(a)   iff   its node is in play, and Low(a) ≤ Bound(node) + ε · Best(root)
    in play         a root, or RefCount > 0: the number of kept alternatives that read it

With aggregate selection the bound is Best(node), with recursive bounding what the parents leave; without
either there is none. What is not kept loses its PlanCost, and with it its place in SearchSpace: that is
tuple source suppression.
"""

from federated.memo.rules.tables import UNKNOWN, And, Or, Tables


def in_play(tables: Tables, node: Or) -> bool:
    return node.pinned or not tables.prunings.counting or bool(node.users)


def is_wanted(tables: Tables, alternative: And) -> bool:
    node = alternative.node
    return node.lows[alternative.place] <= node.bound + tables.slack and in_play(tables, node)


def offer(tables: Tables, node: Or) -> None:
    """Test all alternatives of a node; what to keep goes on the agenda, cheapest first, and what to drop."""
    allowed = node.bound + tables.slack if in_play(tables, node) else -UNKNOWN
    wanted = []
    for alternative, low in zip(node.alternatives, node.lows, strict=True):
        if alternative.kept and low > allowed:
            tables.agenda.drop(alternative)
        elif low <= allowed and not alternative.kept:
            wanted.append((low, alternative.place, alternative))
    for *_, alternative in sorted(wanted, reverse=True):
        tables.agenda.keep(alternative)
