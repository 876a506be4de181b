"""Reference counts: what keeping and dropping an alternative means below it.

    keep a  →  ++ of its children; from 0 to 1 a child is in play again, enumerated if it never was
    drop a  →  −− of its children; from 1 to 0 a child keeps no alternative, and so on down

Pruned state is not thrown away: the lower bounds stay, and an alternative's is derived anew before it is
kept. So what a pruned part cost before may be too little, never too much, and it comes back when it should.
"""

from federated.memo.rules.bounding import derive_bound
from federated.memo.rules.costing import cost_again, local_again, low_again
from federated.memo.rules.enumeration import reach
from federated.memo.rules.keeping import is_wanted
from federated.memo.rules.tables import UNKNOWN, And, Tables


def keep(tables: Tables, alternative: And) -> None:
    """Keep it if it is wanted still, once what it missed is known: ++."""
    node = alternative.node
    if alternative.kept:
        return
    local_again(tables, alternative)
    low_again(tables, alternative)
    derive_bound(tables, node)
    if not is_wanted(tables, alternative):
        return
    alternative.kept = True
    for child in alternative.children:
        child.users[alternative] = None
        if not child.reached:
            reach(tables, child)
        tables.agenda.limit(child)
    cost_again(tables, alternative)


def drop(tables: Tables, alternative: And) -> None:
    """Drop it unless it is wanted again: −−."""
    if not alternative.kept or is_wanted(tables, alternative):
        return
    alternative.kept = False
    node = alternative.node
    node.costs[alternative.place] = UNKNOWN
    tables.agenda.select(node)
    for child in alternative.children:
        del child.users[alternative]
        tables.agenda.limit(child)
