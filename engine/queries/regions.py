"""Regions of triggered sensors: what hangs together with a seed, how large that is, which is largest.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009: activeRegion, regionSizes, largestRegion, largestRegions.
"""

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Field, Literal
from engine.plan.logical import Aggregate, AggregateCall, Fixpoint, Plan
from engine.queries.clauses import atom, clause, least, taken, term


def near(sensor: Plan, distance: float, name: str = "sensor", x: str = "x", y: str = "y") -> Plan:
    """Return the pairs of sensors that are less than a distance apart; strictly less.

    near(a, b) :- sensor(a, x, y), sensor(b, u, v), (x - u)² + (y - v)² < distance², a <> b.
    """
    placed = taken(sensor, name, x, y)
    across, along = term("-", "x", "u"), term("-", "y", "v")
    apart = term("+", term("*", across, across), term("*", along, along))
    return clause(
        {"near": "a", "far": "b"},
        atom(placed, "a", "x", "y"),
        atom(placed, "b", "u", "v"),
        where=[term("<", apart, Literal(distance * distance, Type.DOUBLE)), term("<>", "a", "b")],
    )


def active_region(near: Plan, triggered: Plan, seed: Plan, *, fringe: bool = False) -> Fixpoint:
    """Return which sensors are in which region; rows of ``seed`` are (region, sensor).

    active(r, s) :- seed(r, s), triggered(s).
    active(r, t) :- active(r, s), triggered(s), near(s, t), triggered(t).

    With the ``fringe``, as the paper's rule is printed, the last condition is left out: the sensors
    next to the triggered ones are in the region too, and lead nowhere.
    """
    region, sensor = (column.name for column in seed.columns)
    on = () if fringe else (atom(triggered, "t"),)
    return least(
        "active_region",
        clause({region: "r", sensor: "s"}, atom(seed, "r", "s"), atom(triggered, "s")),
        lambda active: [
            clause(
                {region: "r", sensor: "t"},
                atom(active, "r", "s"),
                atom(triggered, "s"),
                atom(near, "s", "t"),
                *on,
            )
        ],
    )


def region_sizes(active: Plan) -> Plan:
    """Return how many sensors are in each region that has any.

    size(r, count(s)) :- active(r, s).
    """
    region = active.columns[0]
    columns = (region, Column("size", Type.BIGINT))
    return Aggregate(active, (Field(0, region.type, region.name),), (AggregateCall("count", None),), columns)


def largest_region(active: Plan) -> Plan:
    """Return the size of the largest region; NULL where there is none.

    largest(max(n)) :- size(_, n).
    """
    size = Field(1, Type.BIGINT, "size")
    columns = (Column("size", Type.BIGINT),)
    return Aggregate(region_sizes(active), (), (AggregateCall("max", size),), columns)


def largest_regions(active: Plan) -> Plan:
    """Return the regions that are as large as the largest, ties and all.

    largest_regions(r, n) :- size(r, n), largest(n).
    """
    region = active.columns[0].name
    sizes, largest = atom(region_sizes(active), "r", "n"), atom(largest_region(active), "n")
    return clause({region: "r", "size": "n"}, sizes, largest)
