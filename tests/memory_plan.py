"""A plan over three sites with all that a plan may tell, for pages that are looked at."""

from dataclasses import replace

from engine.plan.explaining import (
    Alternative,
    Choice,
    Compared,
    Costs,
    Estimate,
    Explained,
    ExplainedPlan,
    Joined,
    Kept,
    Ordered,
    Passed,
    Surprise,
    Turn,
)
from engine.plan.goal import FASTEST

HOUR = 3_600_000_000
AT = 1_700_000_000_000_000
HERE, SPARK, GATEWAYS, DATABASE = "stream: operators", "stream: Spark", "sensor: gateways", "database: hall"
SENT = "fragment:0123456789abcdef"


def node(
    name: str,
    kind: str,
    what: str,
    site: str,
    *inputs: Explained,
    rows: float = 40.0,
    there: int | None = None,
) -> Explained:
    """Return a node, observed where it says how many rows there are."""
    passed = Passed(600, 120_000_000, 900, 0.04)
    kept = None if there is None else Kept(there, None, None, 950, 940, 0.04, there, passed)
    fragment = SENT if site == GATEWAYS or kind == "Shipped" else None
    estimate = Estimate(rows, rows * 2)
    return Explained(name, kind, what, site, inputs, estimate, kept, fragment, columns=("desk", "room"))


def plan_over_sites(what: str) -> ExplainedPlan:
    """Return a plan whose answer is called so, with ways that lost and changes."""
    heard = node("6", "Windowed", "window seats [PARTITION BY desk ROWS 1]", GATEWAYS, rows=60)
    pressed = node("5", "Filter", "select s.pressed", GATEWAYS, heard, rows=18)
    answer = node("4", "Shipped", "answer of the gateways", HERE, pressed, rows=18, there=66)
    read = replace(node("8", "Read", "read desks from db:facts", SPARK), estimate=None)
    desks = node("7", "Table", "table desks by desk", HERE, read, rows=150, there=150)
    owners = node("9", "Table", "table people by person", DATABASE, rows=12)
    joined = node("3", "HashJoin", "join s.desk = d.desk", HERE, answer, desks, owners, rows=60, there=66)
    root = node("2", "Map", what, HERE, joined, rows=60, there=66)
    lost = (
        Alternative("each site by itself", Costs(0.02, 90.0, 0.004)),
        Alternative("tables of database:hall one by one", Costs(0.6, 400.0, 0.001)),
        Alternative(
            "semi join in the network", Costs(0.01, 4.0, 0.001), "lifetime 12 days, at least 30 asked"
        ),
    )
    surprise = Surprise("join s.desk = d.desk", 12.0, 66.0)
    changed = Compared(("(s ⋈ o) ⋈ d",), ("(s ⋈ d) ⋈ o",), (surprise,))
    return ExplainedPlan(
        root,
        Choice(FASTEST, Alternative("base join in the network", Costs(0.012, 48.0, 0.003)), lost),
        missing=("floor-2",),
        joins=(
            Joined(
                (("s", "answer of the gateways"), ("d", "table desks"), ("o", "table people")),
                Ordered("(s ⋈ d) ⋈ o", 78.0),
                (Ordered("(s ⋈ o) ⋈ d", 183.0, "s ⋈ o", 2478.0),),
            ),
        ),
        turns=tuple(Turn(800 * n, AT + n * n * HOUR, changed, 80.0, 420.0, 78.0, 300.0) for n in range(1, 4)),
    )
