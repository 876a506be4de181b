"""What a placement costs by the three metrics that all sites are translated to, and which is better.

    objective(price)  =  Σ weight · metric / unit of it        the least of it, where there are several

A price that breaks a constraint is no choice. Of objectives that differ by less than a fiftieth, which no
estimate can tell apart, the cheaper for the batteries wins, then for the network, then the faster one: so
what is chosen is never dominated. Prices that differ by rounding alone are equal.
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from engine.model.durations import shown_duration
from engine.plan.explaining.choosing import SAME_WITHIN, Costs, score, units_of
from engine.plan.goal import Goal

SECOND = 1_000_000
DIGITS = 9
HOUR, DAY = 3_600.0, 86_400.0


class Price(NamedTuple):
    """Seconds from a change to the answer, bytes and joules a second, seconds until a battery is empty."""

    latency: float
    bytes: float
    energy: float
    lifetime: float

    def rounded(self) -> "Price":
        """Return the same to so many digits as do not depend on the order of a sum."""
        return Price(*(float(f"{each:.{DIGITS}g}") for each in self))

    @property
    def costs(self) -> Costs:
        return Costs(*self[:3])


def refusal(price: Price, goal: Goal) -> str | None:
    """Say which constraint a price breaks, if one."""
    if goal.lifetime is not None and price.lifetime * SECOND < goal.lifetime:
        return f"lifetime {whole(price.lifetime)}, at least {shown_duration(goal.lifetime)} asked"
    if goal.bytes_a_second is not None and price.bytes > goal.bytes_a_second:
        return f"{price.bytes:,.0f} bytes a second, at most {goal.bytes_a_second:,.0f} asked"
    return None


def whole(seconds: float) -> str:
    """Return a long time in whole days, or hours where it is shorter."""
    unit = DAY if seconds >= DAY else HOUR
    return shown_duration(int(seconds // unit * unit * SECOND))


def objectives(prices: Sequence[Price], goal: Goal) -> list[tuple[float, ...]]:
    """Return by what to choose among prices, the least first."""
    units = units_of(goal, [price.costs for price in prices])
    return [
        (coarse(total), price.energy, price.bytes, price.latency, total)
        for price in prices
        for total in [score(goal, price.costs, units)]
    ]


def coarse(objective: float) -> float:
    """Return the same for what differs by a fiftieth or so."""
    return round(log(objective) / log(1.0 + SAME_WITHIN)) if objective > 0 else float("-inf")
