"""Why an alternative lost: its costs beside those of what was chosen, by what the query is to be good at.

    score(plan)  =  Σ weight · cost in a metric / unit     a constraint that refuses a plan goes before it

    dominated    ⇔  another costs no more in any metric, and less in one        the rest is the Pareto set

Scores within a fiftieth are as good: no estimate tells them apart, so the other metrics do.

References:
    Trummer, Koch. Approximation Schemes for Many-Objective Query Optimization. SIGMOD 2014 (what a
    Pareto set of plans is).
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.plan.explaining.estimates import number
from engine.plan.goal import METRICS, Goal

UNITS = ("s", "B/s", "J/s")
CLOSE, SAME_WITHIN = 1e-6, 0.02


AS_GOOD = "as good; the first found stays"


class Costs(NamedTuple):
    """What a plan costs in each metric: seconds, bytes a second, joules a second."""

    latency: float
    bytes: float
    energy: float

    def __str__(self) -> str:
        told = zip(METRICS, self, UNITS, strict=True)
        return "  ".join(f"{name} {shown(value)} {unit}" for name, value, unit in told)


class Alternative(NamedTuple):
    """A way to run the query; ``refused`` says which constraint forbids it, if one does."""

    name: str
    costs: Costs
    refused: str = ""


class Choice(NamedTuple):
    """What was chosen, for what, and of what."""

    goal: Goal
    chosen: Alternative
    lost: tuple[Alternative, ...] = ()

    def why_lost(self, other: Alternative) -> str:
        """Say why an alternative is not what runs."""
        if other.refused:
            return other.refused
        units = units_of(self.goal, [each.costs for each in (self.chosen, *self.lost)])
        mine, its = (score(self.goal, each.costs, units) for each in (self.chosen, other))
        wanted = " and ".join(name for name, _ in self.goal.weights)
        more = [name for name, a, b in zip(METRICS, other.costs, self.chosen.costs, strict=True) if a > b]
        if abs(its - mine) <= CLOSE * mine:
            return f"as much {wanted}, more {' and '.join(more)}" if more else AS_GOOD
        if mine > its >= (1 - SAME_WITHIN) * mine and more:
            return f"{compared(its, mine)} {wanted}, which is as good, but more {' and '.join(more)}"
        return f"{compared(its, mine)} {wanted}" + ("; the better one by now" if its < mine else "")

    def price(self, other: Alternative) -> float | None:
        """Return how many times as dear an alternative is by the goal."""
        units = units_of(self.goal, [each.costs for each in (self.chosen, *self.lost)])
        mine, its = (score(self.goal, each.costs, units) for each in (self.chosen, other))
        return its / mine if mine > 0 else None

    def nearest_first(self) -> tuple[Alternative, ...]:
        """Return what lost, the best by the goal first, and at the end what may not run."""
        return tuple(sorted(self.lost, key=lambda each: (bool(each.refused), self.price(each) or 0.0)))

    def told(self) -> tuple[tuple[Alternative, int], ...]:
        """Return what lost, and of each how many more look the same: cost as much, as far as is shown."""
        alike: dict[tuple[str, str], list[Alternative]] = {}
        for each in self.lost:
            alike.setdefault((str(each.costs), each.refused), []).append(each)
        return tuple((first, len(more)) for first, *more in alike.values())

    def pareto(self) -> tuple[Alternative, ...]:
        """Return the plans, of those that may run, of which none is better in everything."""
        every = [each for each in (self.chosen, *self.lost) if not each.refused]
        return tuple(each for each in every if not any(dominates(other.costs, each.costs) for other in every))


class Search(NamedTuple):
    """How it was sought: ways to join considered and computed anew, and switches to another plan.

    ``abandoned`` counts the switches that were begun and given up. ``predicted`` is what a tick was to cost
    by the last switch, ``observed`` what it costs by the same model and what is seen by now; in rows handled.
    """

    considered: int
    recomputed: int = 0
    switches: int = 0
    abandoned: int = 0
    predicted: float | None = None
    observed: float | None = None


def score(goal: Goal, costs: Costs, units: Costs) -> float:
    """Return what is to be least."""
    by_name = {name: cost / unit for name, cost, unit in zip(METRICS, costs, units, strict=True)}
    return sum(weight * by_name[name] for name, weight in goal.weights)


def compared(its: float, mine: float) -> str:
    """Say how a score is to another: 4 times the; 3 % more."""
    if mine <= 0:
        return "more"
    ratio = its / mine
    if 0.5 < ratio < 2:
        return f"{abs(ratio - 1) * 100:.2g} % {'more' if ratio > 1 else 'less'}"
    return f"{number(ratio) if ratio >= 100 else f'{ratio:.3g}'} times the"


def units_of(goal: Goal, every: Sequence[Costs]) -> Costs:
    """Return in what each metric counts: of several the least that any way costs, so that they compare."""
    if len(goal.weights) == 1:
        return Costs(1.0, 1.0, 1.0)
    return Costs(
        *(min((cost for cost in column if cost > 0), default=1.0) for column in zip(*every, strict=True))
    )


def dominates(one: Costs, other: Costs) -> bool:
    """Tell whether costs are no higher in anything, and lower in something."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def goal_text(goal: Goal) -> str:
    """Say what a query is to be good at: latency; 0.5 latency + 0.5 energy."""
    if len(goal.weights) == 1:
        return goal.weights[0][0]
    return " + ".join(f"{weight:g} {name}" for name, weight in goal.weights)


def shown(value: float) -> str:
    """Return a cost to three digits, or as a whole number."""
    if value >= 100 or value == 0:
        return number(value)
    return f"{value:.3g}" if value >= 0.001 else f"{value:.2e}"
