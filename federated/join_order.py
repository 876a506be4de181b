"""The order of joins: greedy, cheapest next.

    start with the smallest input; while any is left, join the one that costs least,
    a connected one before a cross product

Each predicate is used once: an equality between the two sides becomes a key of the hash join, any
other is a selection as soon as all its columns are there.
"""

from engine.plan.expressions import Call, Expr, conjunction, move, positions
from engine.plan.physical import Filter, HashJoin, Physical
from federated.cost import CostModel


class JoinOrder:
    """Orders the inputs of one n-ary join; afterwards ``place`` says where a column went."""

    def __init__(self, inputs: tuple[Physical, ...], predicates: tuple[Expr, ...], model: CostModel) -> None:
        self._inputs = inputs
        self._predicates = list(predicates)
        self._model = model
        self._starts = [sum(len(plan.columns) for plan in inputs[:i]) for i in range(len(inputs))]
        self.place: dict[int, int] = {}

    def plan(self) -> Physical:
        """Return the left-deep tree."""
        left = set(range(len(self._inputs)))
        first = min(left, key=lambda i: (self._model.estimate(self._inputs[i]).rows, i))
        left.discard(first)
        self._append(first)
        tree = self._filtered(self._inputs[first])
        while left:
            chosen = min(left, key=lambda i: (*self._price(tree, i), i))
            left.discard(chosen)
            joined = self._joined(tree, chosen)
            keys = self._key_predicates(chosen)
            self._predicates = [p for p in self._predicates if p not in keys]
            self._append(chosen)
            tree = self._filtered(joined)
        return tree

    def _price(self, tree: Physical, i: int) -> tuple[bool, float]:
        joined = self._joined(tree, i)
        return not joined.left_keys, self._model.estimate(joined).cost

    def _append(self, i: int) -> None:
        offset = len(self.place)
        for j in range(len(self._inputs[i].columns)):
            self.place[self._starts[i] + j] = offset + j

    def _columns_of(self, i: int) -> range:
        return range(self._starts[i], self._starts[i] + len(self._inputs[i].columns))

    def _key_predicates(self, i: int) -> list[Expr]:
        return [p for p in self._predicates if self._sides(p, i) is not None]

    def _sides(self, predicate: Expr, i: int) -> tuple[Expr, Expr] | None:
        """Return (over what is joined, over input i) of an equality between the two."""
        if not isinstance(predicate, Call) or predicate.function != "=":
            return None
        for here, there in (predicate.args, predicate.args[::-1]):
            held, reached = positions(here), positions(there)
            if (
                held
                and reached
                and held <= self.place.keys()
                and all(p in self._columns_of(i) for p in reached)
            ):
                return here, there
        return None

    def _joined(self, tree: Physical, i: int) -> HashJoin:
        sides = [s for s in (self._sides(p, i) for p in self._predicates) if s is not None]
        return HashJoin(
            tree,
            self._inputs[i],
            tuple(move(here, self.place.__getitem__) for here, _ in sides),
            tuple(move(there, lambda position: position - self._starts[i]) for _, there in sides),
        )

    def _filtered(self, tree: Physical) -> Physical:
        ready = [p for p in self._predicates if positions(p) <= self.place.keys()]
        self._predicates = [p for p in self._predicates if p not in ready]
        if not ready:
            return tree
        return Filter(tree, move(conjunction(tuple(ready)), self.place.__getitem__))
