"""The choice among the ways to place a plan: by the goal, within its constraints.

chosen  =  the least objective of those that break no constraint
lost    =  all others, each with the constraint that forbids it or how much worse it is
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.model.errors import PlanError
from engine.plan.explaining import Alternative as Shown
from engine.plan.explaining import Choice
from engine.plan.goal import Goal
from engine.plan.physical import Physical
from federated.alternatives import Alternative
from federated.price import objectives, refusal


class Considered(NamedTuple):
    """What was chosen for a goal, and what was not, with the constraint that it breaks if it does."""

    goal: Goal
    chosen: Alternative
    lost: tuple[tuple[Alternative, str | None], ...] = ()

    def every(self) -> tuple[Alternative, ...]:
        """Return what could be chosen and what could not."""
        return (self.chosen, *(alternative for alternative, _ in self.lost))

    def told(self, runs: Physical) -> Choice:
        """Return the same without the plans, for people, as seen from the plan that runs."""
        every = [(self.chosen, None), *self.lost]
        running = next((each for each, _ in every if each.plan == runs), self.chosen)
        lost = (shown(each, refused or "") for each, refused in every if each is not running)
        return Choice(self.goal, shown(running), tuple(lost))


def shown(alternative: Alternative, refused: str = "") -> Shown:
    return Shown(alternative.name, alternative.price.costs, refused)


def considered(found: Sequence[Alternative], goal: Goal) -> Considered:
    """Choose, or say which constraint nothing meets."""
    prices = [each.price for each in found]
    refused = [refusal(price, goal) for price in prices]
    objective = objectives(prices, goal)
    left = [i for i in range(len(found)) if refused[i] is None]
    if not left:
        message = f"no site can run this within its constraints: {nearest_miss(found, goal)}"
        raise PlanError(message)
    chosen = min(left, key=lambda i: (*objective[i], i))
    lost = tuple((each, refused[i]) for i, each in enumerate(found) if i != chosen)
    return Considered(goal, found[chosen], lost)


def nearest_miss(found: Sequence[Alternative], goal: Goal) -> str:
    """Say of the way that comes nearest to the constraints by how much it fails."""
    if goal.lifetime is not None:
        best = max(found, key=lambda each: each.price.lifetime)
    else:
        best = min(found, key=lambda each: each.price.bytes)
    return f"the nearest is {best.name}, {refusal(best.price, goal)}"
