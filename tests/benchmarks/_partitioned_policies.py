"""Lazy against eager shipping, as published: every site tells what it derives first, or all that it derives.

Shares are lazy and nothing else: what is not sent is kept where it is derived, and no provenance but one
witness travels. So the comparison is that of the message-level engine, whose rows have all their
provenance (``engine.network``), over a network small enough that eagerness ends.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VIII, figures 10 and 11.
"""

from random import Random

from engine.network.network import Network
from engine.operators.ship import EAGER, LAZY, Policy
from engine.provenance.why import Why
from tests.benchmarks._report import Result
from tests.benchmarks._shipping import REACHABLE, Cost, Measured
from tests.benchmarks._shipping_charts import shuffled
from tests.benchmarks._topology import Shape, transit_stub

SHAPE, DEGREE, DELETED = Shape(4, 1, 2), 3, 0.1


def policies() -> list[Result]:
    eager, lazy = costs(EAGER), costs(LAZY)
    assert all(cost.finished for cost in (*eager, *lazy))
    results = []
    for what, taken in (("inserted", [0]), ("a tenth deleted", [1]), ("both together", [0, 1])):
        for unit, field in (("rows", "rows"), ("B", "shipped")):
            name = f"lazily shipped, {SHAPE.nodes} nodes, {what}"
            of_lazy, of_eager = (sum(getattr(of[i], field) for i in taken) for of in (lazy, eager))
            ratio = of_eager / of_lazy
            results.append(Result(name, of_lazy, unit))
            results.append(Result(f"{name}: eagerly, {unit}", ratio, "times", "higher", ratio=ratio))
    return results


def costs(policy: Policy) -> tuple[Cost, Cost]:
    """Return what inserting all links costs, and then deleting a part of them."""
    links = shuffled(transit_stub(SHAPE, DEGREE, Random(10)), 17)
    measured = Measured(lambda rules, sites: Network(rules, Why, sites, policy), REACHABLE)
    measured.insert(0, links)
    inserted = measured.cost(restart=True)
    for row in links[: max(1, round(DELETED * len(links)))]:
        measured.delete(0, [row])
    return inserted, measured.cost()
