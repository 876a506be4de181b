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
from federated.choosing.price import objectives, refusal
from federated.placing.alternatives import Alternative


class Considered(NamedTuple):
    """What was chosen for a goal, and what was not, with the constraint that it breaks if it does."""

    goal: Goal
    chosen: Alternative
    lost: tuple[tuple[Alternative, str | None], ...] = ()
    refused: str | None = None

    def plan(self) -> Physical:
        """Return the chosen plan, or say which constraint nothing meets."""
        if self.refused is None:
            return self.chosen.plan
        message = (
            f"no site can run this within its constraints: the nearest is {self.chosen.name}, {self.refused}"
        )
        raise PlanError(message)

    def every(self) -> tuple[Alternative, ...]:
        """Return what could be chosen and what could not."""
        return (self.chosen, *(alternative for alternative, _ in self.lost))

    def told(self, runs: Physical) -> Choice:
        """Return the same without the plans, for people, as seen from the plan that runs."""
        every = [(self.chosen, self.refused), *self.lost]
        running, breaks = next((each for each in every if each[0].plan == runs), every[0])
        lost = (shown(each, refused or "") for each, refused in every if each is not running)
        return Choice(self.goal, shown(running, breaks or ""), tuple(lost))


def shown(alternative: Alternative, refused: str = "") -> Shown:
    return Shown(alternative.name, alternative.price.costs, refused)


def considered(found: Sequence[Alternative], goal: Goal) -> Considered:
    """Choose; where nothing keeps within the constraints, what comes nearest to them."""
    prices = [each.price for each in found]
    refused = [refusal(price, goal) for price in prices]
    objective = objectives(prices, goal)
    left = [i for i in range(len(found)) if refused[i] is None]
    if left:
        chosen = min(left, key=lambda i: (*objective[i], i))
    else:
        chosen = min(range(len(found)), key=lambda i: (_miss(found[i], goal), i))
    lost = tuple((each, refused[i]) for i, each in enumerate(found) if i != chosen)
    return Considered(goal, found[chosen], lost, refused[chosen])


def _miss(alternative: Alternative, goal: Goal) -> float:
    price = alternative.price
    return price.bytes if goal.lifetime is None else -price.lifetime
