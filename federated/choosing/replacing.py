"""Would what runs be placed otherwise by now?

    switch  ⇔  objective(chosen)  <  (1 - h) · objective(what runs)           h = 0.2

Both at full price, by what is known now. A switch speaks of rows handled, as one of join order does: what
runs costs what it costs, the other the same part less as its objective is. While a join runs in the
network nothing is seen of its sides apart, so what was seen of them last stands, and no choice goes to
and fro.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from engine.contracts import Switch
from engine.plan.physical import Physical, fragments_in
from federated.choosing.considering import Considered
from federated.choosing.price import objectives
from federated.estimating.cost import CostModel
from federated.sites.network import Network

HYSTERESIS = 0.2
MOST = 1_000


class Answer(NamedTuple):
    """What was said of a running plan, as of a version of the statistics and a network."""

    version: int
    network: Network
    switch: Switch | None


class Replacing:
    """Answers for the plans that run."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Physical, Answer] = OrderedDict()

    def of(
        self, running: Physical, model: CostModel, network: Network, consider: Callable[[], Considered]
    ) -> Switch | None:
        """Return another placement, where it is clearly better than the one that runs."""
        held, version = self._answers.get(running), model.statistics.version
        if held is None or held.version != version or held.network is not network:
            held = self._answers[running] = Answer(version, network, switch(running, model, consider()))
            while len(self._answers) > MOST:
                self._answers.popitem(last=False)
        return held.switch


def switch(running: Physical, model: CostModel, found: Considered) -> Switch | None:
    """Return the chosen plan, with what it saves."""
    sent = frozenset(fragments_in(running))
    mine = next((each for each in found.every() if frozenset(fragments_in(each.plan)) == sent), None)
    if mine is None or mine is found.chosen or found.refused is not None:
        return None
    every = found.every()
    by_place = objectives([each.price for each in every], found.goal)
    best, own = by_place[0][-1], by_place[every.index(mine)][-1]
    if own <= 0 or best >= (1 - HYSTERESIS) * own:
        return None
    cost = model.estimate(running).cost
    builds = sum(model.estimate(each).rows for each in frozenset(fragments_in(found.chosen.plan)) - sent)
    return Switch(found.chosen.plan, cost, cost * best / own, builds)
