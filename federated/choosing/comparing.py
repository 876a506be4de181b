"""Two plans of one query for people: what only one of them does, and what of the first was not as expected.

    part     =  the order of a join  |  what another site computes  |  totals begun in the tick's pass
                |  shares in executors
    before   =  parts(running) − parts(other)            after  =  parts(other) − parts(running)

Made when a running plan is changed, which is seldom; so the surprises are those by which it was.
"""

from collections.abc import Iterator
from math import log

from engine.plan.explaining import Compared, Surprise
from engine.plan.explaining.describing import describe, site_name
from engine.plan.explaining.tree import joined_how
from engine.plan.leaves import NATURAL, Shipped, Totalled
from engine.plan.physical import Partitioned, Physical, leaves, nodes
from federated.estimating.cost import LEAST
from federated.estimating.told import Told
from federated.joining.orders import names_of, order_text
from federated.joining.regions import Regions

FAR, FEW = 3.0, 3


def compare(running: Physical, other: Physical, regions: Regions, told: Told) -> Compared:
    """Say in what two plans differ."""
    mine, its = (dict.fromkeys(parts(each, regions)) for each in (running, other))
    before, after = (tuple(part for part in a if part not in b) for a, b in ((mine, its), (its, mine)))
    return Compared(before, after, surprises(running, told))


def parts(plan: Physical, regions: Regions) -> Iterator[str]:
    """Yield what may be otherwise in another plan of the same query."""
    if isinstance(plan, Partitioned):
        yield "shares of it in executors"
        plan = plan.child
    for region, tree in regions.within(plan):
        yield order_text(tree, names_of(region))
    for leaf in leaves(plan):
        if isinstance(leaf, Shipped):
            how = joined_how(leaf.method) if leaf.method != NATURAL else ""
            yield f"{describe(leaf.plan)} by {site_name(leaf.site)}{how}"
        elif isinstance(leaf, Totalled):
            yield describe(leaf)


def surprises(plan: Physical, told: Told) -> tuple[Surprise, ...]:
    """Return the nodes of which there are far more rows than expected, or fewer; the farthest off first."""
    found = []
    for node in nodes(plan):
        estimate, seen = told.estimate(node), told.seen(node)
        if seen is None or estimate.derived is None:
            continue
        off = abs(log((seen.rows + 1) / (estimate.derived + 1)))
        if off > log(FAR):
            found.append((off, Surprise(describe(node), max(estimate.derived, LEAST), seen.rows)))
    found.sort(key=lambda each: -each[0])
    return tuple(surprise for _, surprise in found[:FEW])
