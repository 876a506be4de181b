"""What a placement costs by the three metrics that all sites are translated to, and which is better.

    objective(price)  =  Σ weight · metric / least of that metric        one weight: the metric itself

A price that breaks a constraint is no choice. Of objectives that differ by less than a fiftieth, which no
estimate can tell apart, the cheaper for the batteries wins, then for the network.
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from engine.model.durations import shown_duration
from engine.plan.goal import METRICS, Goal

SECOND = 1_000_000
SAME_WITHIN = 0.02
LONG = 10_000 * 86_400 * SECOND


class Price(NamedTuple):
    """Seconds from a change to the answer, bytes and joules a second, seconds until a battery is empty."""

    latency: float
    bytes: float
    energy: float
    lifetime: float

    def of(self, metric: str) -> float:
        return float(getattr(self, metric))


def refusal(price: Price, goal: Goal) -> str | None:
    """Say which constraint a price breaks, if one."""
    if goal.lifetime is not None and price.lifetime * SECOND < goal.lifetime:
        lasts = shown_duration(int(min(price.lifetime * SECOND, LONG)))
        return f"lifetime {lasts}, at least {shown_duration(goal.lifetime)} asked"
    if goal.bytes_a_second is not None and price.bytes > goal.bytes_a_second:
        return f"{price.bytes:,.0f} bytes a second, at most {goal.bytes_a_second:,.0f} asked"
    return None


def objectives(prices: Sequence[Price], goal: Goal) -> list[tuple[float, ...]]:
    """Return by what to choose among prices, the least first."""
    least = {m: min((p.of(m) for p in prices if p.of(m) > 0), default=1.0) for m in METRICS}
    scale = least if len(goal.weights) > 1 else dict.fromkeys(METRICS, 1.0)
    return [
        (coarse(total), price.energy, price.bytes, total)
        for price in prices
        for total in [sum(w * price.of(m) / scale[m] for m, w in goal.weights)]
    ]


def coarse(objective: float) -> float:
    """Return the same for what differs by a fiftieth or so."""
    return round(log(objective) / log(1.0 + SAME_WITHIN)) if objective > 0 else float("-inf")
