"""Between eager and lazy: how many derivations wait before all of them go."""

import math

from engine.operators.ship import Policy
from tests.benchmarks._charts import Panel, write_chart
from tests.benchmarks._report import Result
from tests.benchmarks._shipping import REACHABLE, Cost, Measured, absorbing
from tests.benchmarks._shipping_charts import CHARTS, shuffled
from tests.benchmarks._topology import Link

COUNTS = (1, 2, 5, 10, 50, math.inf)
DELETIONS = 10


def policies(links: list[Link]) -> list[Result]:
    """Insert all links, then delete some, under each policy."""
    found = [(count, *both(links, count)) for count in COUNTS]
    shown = {
        "insertions": [(place, inserted.shipped) for place, (_, inserted, _) in enumerate(found)],
        "deletions": [(place, deleted.shipped) for place, (_, _, deleted) in enumerate(found)],
    }
    axis = "waiting derivations: " + ", ".join(str(count) for count in COUNTS)
    write_chart(CHARTS / "policies.svg", "From eager to lazy", [Panel("shipped, bytes", axis, shown, True)])
    return [
        Result(f"policy, {count} waiting, {what}: {unit}", value, unit)
        for count, inserted, deleted in found
        for what, cost in (("insertions", inserted), ("deletions", deleted))
        for value, unit in ((cost.rows, "rows"), (cost.shipped, "B"))
    ]


def both(links: list[Link], count: float) -> tuple[Cost, Cost]:
    measured = Measured(absorbing(Policy(count=count)), REACHABLE)
    measured.insert(0, shuffled(links, 17))
    inserted = measured.cost(restart=True)
    for row in shuffled(links, 18)[:DELETIONS]:
        measured.delete(0, [row])
    return inserted, measured.cost()
