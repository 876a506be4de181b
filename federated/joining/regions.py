"""The regions of all queries: each join has one, whoever runs it, and each plan of it is known again.

A region that was not asked for the longest is forgotten first; whoever still runs it keeps its plan.
"""

from collections import OrderedDict
from collections.abc import Iterator

from engine.plan.explaining import Search
from engine.plan.expressions import Expr
from engine.plan.physical import Physical, nodes
from federated.joining.region import Region
from federated.joining.trees import Tree

MOST = 1_000


class Regions:
    """Regions by what they join, and by the operators that came of them."""

    def __init__(self) -> None:
        self._regions: OrderedDict[object, Region] = OrderedDict()
        self._trees: OrderedDict[Physical, tuple[Region, Tree]] = OrderedDict()

    def of(self, key: object, inputs: tuple[Physical, ...], predicates: tuple[Expr, ...]) -> Region:
        """Return the region of a join."""
        widths = tuple(len(each.columns) for each in inputs)
        found = self._regions.get((key, widths, predicates))
        if found is None:
            found = self._regions[key, widths, predicates] = self._made(widths, predicates)
        self._regions.move_to_end((key, widths, predicates))
        while len(self._regions) > MOST:
            self._regions.popitem(last=False)
        return found

    def _made(self, widths: tuple[int, ...], predicates: tuple[Expr, ...]) -> Region:
        return Region(widths, predicates)

    def note(self, plan: Physical, region: Region, tree: Tree) -> None:
        """Remember of which region, and which tree of it, a plan is."""
        self._trees[plan] = region, tree
        while len(self._trees) > MOST:
            self._trees.popitem(last=False)

    def searched(self) -> Search:
        """Say what all searches took so far."""
        works = [region.work() for region in self._regions.values()]
        return Search(*(sum(work[i].ands for work in works) for i in (0, 1)))

    def within(self, plan: Physical) -> Iterator[tuple[Region, Tree]]:
        """Yield the joins in a plan, and how each is ordered."""
        for node in nodes(plan):
            if node in self._trees:
                yield self._trees[node]
