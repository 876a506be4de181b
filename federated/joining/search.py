"""The cheapest tree of joins: of all of them where they are few enough, else by the cheapest next join.

    memo:  rows(T) := effort(T)     work(L, R) := effort(L) + effort(R) + in_vain(L, R)

The memo (``federated.memo``) is kept from one time to the next and told only of the sets and joins whose
figures are others by now; it computes again what those touch. Two sets are joined that something relates;
a product is made where nothing else is left. While a join is planned no tick closes, so the ways to join
are counted first: all trees are looked at where that takes some 50 ms at most, as of ten inputs in a chain or
a star, of eight on one column, of seven that are all compared with each other.
"""

from federated.joining.costs import StreamCosts
from federated.joining.predicates import Predicates
from federated.joining.trees import Tree, joined, mask_of
from federated.memo.costs import Costs
from federated.memo.graph import QueryGraph
from federated.memo.memo import Memo, Plan
from federated.memo.touched import Touched

MOST, MOST_WAYS = 10, 5_000
COMPARED = 4
"""Ways that take as long as one whose two sides are compared: each has a weight of its own."""
SAME = 1e-9


def is_searched(graph: QueryGraph, predicates: Predicates) -> bool:
    """Tell whether the ways to join are few enough to look at all of them."""
    if len(graph.bases) > MOST:
        return False
    effort, seen, wanted = 0, set[int](), [graph.everything]
    while wanted and effort <= MOST_WAYS:
        mask = wanted.pop()
        if mask not in seen and mask.bit_count() > 1:
            seen.add(mask)
            for left, right in graph.splits(mask):
                effort += COMPARED if predicates.between(left, right)[1] else 1
                wanted += (left, right)
                if effort > MOST_WAYS:
                    return False
    return effort <= MOST_WAYS


class Search:
    """The best tree over one graph, however its figures change."""

    def __init__(self, graph: QueryGraph, predicates: Predicates) -> None:
        self._memo = Memo(graph, costs=Costs(output=1.0, scan=0.0, hash=1.0), physical=False)
        space = self._memo.space
        steps = [
            (step.id, *(space.ors[i].mask for i in step.inputs))
            for step in space.ands
            if step.right is not None
        ]
        self._selecting = {
            (step, left, right): 1.0 for step, left, right in steps if predicates.between(left, right)[1]
        }

    def best(self, costs: StreamCosts) -> Tree:
        """Return the best tree by what everything costs now."""
        memo = self._memo
        for mask in memo.space.masks:
            factor = costs.effort(mask) / memo.rows(mask)
            if abs(factor - 1) > SAME:
                memo.change(mask, factor)
        for (step, left, right), held in self._selecting.items():
            work = 1 + costs.in_vain(left, right) / (costs.effort(left) + costs.effort(right))
            if abs(work / held - 1) > SAME:
                memo.change_step(step, work / held)
                self._selecting[step, left, right] = work
        return tree_of(memo.plan())

    def others(self) -> list[Tree]:
        """Return of each way to part the inputs in two the best tree, as of the last time."""
        return [tree_of(plan) for plan in self._memo.plans()]

    def work(self) -> tuple[Touched, Touched]:
        """Return the nodes that there are, and how many were computed, all times together."""
        told = self._memo.statistics()
        return told.considered, told.altogether


def tree_of(plan: Plan) -> Tree:
    """Return the tree that a memo's plan stands for."""
    if not plan.inputs:
        return plan.mask.bit_length() - 1
    one, other = map(tree_of, plan.inputs)
    return joined(one, other)


def greedy(graph: QueryGraph, costs: StreamCosts) -> Tree:
    """Join the two trees that cost least to join, related ones first, until one is left."""
    trees: list[Tree] = list(range(len(graph.bases)))
    while len(trees) > 1:
        pairs = [(one, other) for i, one in enumerate(trees) for other in trees[i + 1 :]]
        one, other = min(pairs, key=lambda pair: _price(graph, costs, mask_of(pair[0]), mask_of(pair[1])))
        trees = sorted([t for t in trees if t not in (one, other)] + [joined(one, other)], key=mask_of)
    return trees[0]


def _price(graph: QueryGraph, costs: StreamCosts, left: int, right: int) -> tuple[bool, float]:
    is_product = not any(graph.neighbours[i] & right for i in range(len(graph.bases)) if left >> i & 1)
    return is_product, costs.join(left, right)
