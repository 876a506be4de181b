"""Would what runs be run otherwise by now?

    moved?  ──no──▶  the same answer as before, at once
       │yes
    best tree of each join that depends on it   ──the one that runs──▶  no
       │another                                 ──those of last time──▶  the plan of last time
       │
    the whole plan anew                         what a tick costs by either, and what has to be built

Costs are those of the joins, in rows handled (``joining.costs``), by what is known now: of what runs that
is observed. Of the other plan whatever runs already, for this query or any other, costs nothing to build.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.contracts import Switch
from engine.plan.physical import Physical
from federated.estimating.cost import CostModel
from federated.joining.region import Region
from federated.joining.regions import Regions
from federated.joining.trees import Tree

MOST = 1_000
Ordered = Sequence[tuple[Region, Tree]]


@dataclass
class Answer:
    """What was said of a running plan: as of a version of the statistics, and of looks of its regions.

    ``other`` is the last plan that was made instead, for these best trees of the running one's joins.
    """

    ordered: Ordered
    version: int = -1
    looks: tuple[int, ...] = ()
    switch: Switch | None = None
    trees: tuple[Tree, ...] = ()
    other: Physical | None = None


class Reconsidering:
    """Answers for the plans that run."""

    def __init__(self, regions: Regions) -> None:
        self._regions = regions
        self._answers: OrderedDict[Physical, Answer] = OrderedDict()

    def of(
        self,
        running: Physical,
        model: CostModel,
        is_running: Callable[[Physical], bool],
        optimize: Callable[[], Physical],
    ) -> Switch | None:
        """Return another plan where the joins of the one that runs are not ordered best."""
        answer = self._answer(running)
        version = model.statistics.version
        if answer.version != version:
            answer.version = version
            looks = tuple(region.look(model) for region, _ in answer.ordered)
            if looks != answer.looks:
                answer.looks = looks
                answer.switch = self._switch(answer, model, is_running, optimize)
        return answer.switch

    def _answer(self, running: Physical) -> Answer:
        found = self._answers.get(running)
        if found is None:
            found = self._answers[running] = Answer(tuple(self._regions.within(running)))
            while len(self._answers) > MOST:
                self._answers.popitem(last=False)
        return found

    def _switch(
        self,
        answer: Answer,
        model: CostModel,
        is_running: Callable[[Physical], bool],
        optimize: Callable[[], Physical],
    ) -> Switch | None:
        trees = tuple(region.best(model) for region, _ in answer.ordered)
        if trees == tuple(tree for _, tree in answer.ordered):
            return None
        if answer.other is None or answer.trees != trees:
            answer.trees, answer.other = trees, optimize()
        other = tuple(self._regions.within(answer.other))
        now, then = (
            sum(region.cost(tree, model) for region, tree in each) for each in (answer.ordered, other)
        )
        builds = sum(region.builds(tree, is_running) for region, tree in other)
        return Switch(answer.other, now, then, builds)
