"""One join of a query, in whatever order it runs: what is known of its parts, and its best tree.

    rows(T)  =  estimated(T) · Π_{S ⊆ T} δ(S)          δ(S) = observed(S) / (all that was known before)

What was observed of a set stays a factor of it when another tree runs, and of all larger sets, so no
tree is chosen again at once for a promise that it did not keep; with time it fades (``learned``). A region
looks again only where something that it depends on moved or faded, and everyone who runs its join in a
plan of theirs asks the same region.
"""

from collections.abc import Callable
from functools import cache

from engine.model.errors import InternalError
from engine.plan.expressions import Expr, Field, move
from engine.plan.physical import Physical
from federated.estimating.cost import LEAST, CostModel, kept_by
from federated.estimating.statistics import Statistics
from federated.joining.costs import StreamCosts
from federated.joining.learned import Factors
from federated.joining.predicates import Predicates
from federated.joining.search import Search, greedy, is_searched
from federated.joining.trees import Built, Tree, build, joins, selected
from federated.joining.values import distinct
from federated.memo.cardinality import estimated
from federated.memo.graph import Base, EqualityClass, QueryGraph
from federated.memo.touched import Touched


class Region:
    """A join of so many inputs; each call is given the inputs' plans as they are by now."""

    def __init__(self, widths: tuple[int, ...], predicates: tuple[Expr, ...]) -> None:
        self.predicates = Predicates(widths, predicates)
        self.nodes: dict[int, dict[Physical, None]] = {}
        self.looks = 0
        self._inputs: tuple[Physical, ...] = ()
        self._seen = -1
        self._learned = Factors()
        self._factors: dict[int, float] = {}
        self._tree: Tree | None = None
        self._search: Search | None = None
        self._is_searched: bool | None = None

    def plan(self, inputs: tuple[Physical, ...], model: CostModel) -> tuple[Tree, Built]:
        """Return the best tree by what is known, and its operators."""
        self._take(inputs)
        tree = self.best(model)
        return tree, self.built(tree)

    def built(self, tree: Tree) -> Built:
        """Return the operators of any tree."""
        return build(tree, self._inputs, self.predicates, self._note)

    def best(self, model: CostModel) -> Tree:
        """Return the best tree by what is known."""
        self.look(model)
        if self._tree is None:
            self._tree = self._cheapest()
        return self._tree

    def others(self, model: CostModel) -> list[Tree] | None:
        """Return of each way to part the inputs in two the best tree; none where not all are looked at."""
        self.best(model)
        return None if self._search is None else self._search.others()

    def of_join(self, left: int, right: int) -> tuple[float, float]:
        """Return what the join of two sets costs in a tick, and its rows, as of the last look."""
        return self._costs.join(left, right), self.rows(left | right)

    @property
    def inputs(self) -> tuple[Physical, ...]:
        return self._inputs

    def _cheapest(self) -> Tree:
        if self._is_searched is None:
            self._is_searched = is_searched(self.graph, self.predicates)
        if not self._is_searched:
            return greedy(self.graph, self._costs)
        if self._search is None:
            self._search = Search(self.graph, self.predicates)
        return self._search.best(self._costs)

    def work(self) -> tuple[Touched, Touched]:
        """Return the nodes of the search that there are, and how many were computed, all times together."""
        return (Touched(0, 0), Touched(0, 0)) if self._search is None else self._search.work()

    def cost(self, tree: Tree, model: CostModel) -> float:
        """Return what a tree costs in a tick by what is known."""
        self.look(model)
        return self._costs.of(tree)

    def builds(self, tree: Tree, is_running: Callable[[Physical], bool]) -> float:
        """Return the rows that are handled to start what does not run of a tree, and what stands above it."""
        plans: dict[int, Physical] = {}
        built = build(tree, self._inputs, self.predicates, plans.__setitem__)
        sizes = [
            self.rows(left) + self.rows(right) + self.rows(left | right)
            for left, right in joins(tree)
            if not is_running(plans[left | right])
        ]
        return sum(sizes) + (0.0 if is_running(built.plan) else 2 * self.rows(built.mask))

    def _take(self, inputs: tuple[Physical, ...]) -> None:
        if len(inputs) != len(self.predicates.starts):
            message = f"a join of {len(self.predicates.starts)} inputs was given {len(inputs)}"
            raise InternalError(message)
        mine = tuple(selected(each, self._own(number)) for number, each in enumerate(inputs))
        if mine != self._inputs:
            self._inputs, self._seen = mine, -1
            for number, each in enumerate(mine):
                self._note(1 << number, each)

    def _own(self, number: int) -> tuple[Expr, ...]:
        start = self.predicates.starts[number]
        return tuple(move(each, lambda place: place - start) for each in self.predicates.within(number))

    def _note(self, mask: int, plan: Physical) -> None:
        self.nodes.setdefault(mask, {})[plan] = None

    def _has_moved(self, model: CostModel) -> bool:
        """Tell whether anything of what this depends on moved since it looked."""
        statistics = model.statistics
        if self._learned.fade(self._idle(statistics)):
            return True
        known = (statistics.known(plan) for plans in self.nodes.values() for plan in plans)
        return any(each.moved > self._seen for each in known if each is not None)

    def _idle(self, statistics: Statistics) -> dict[int, int]:
        """Return for how many ticks each set was not seen that was."""
        seen = {mask: [statistics.known(plan) for plan in plans] for mask, plans in self.nodes.items()}
        ticks = {mask: max((each.tick for each in of if each), default=0) for mask, of in seen.items()}
        return {mask: statistics.tick - tick for mask, tick in ticks.items() if tick}

    def look(self, model: CostModel) -> int:
        """Take in what is known by now; return how often that brought anything."""
        if self._seen == model.statistics.version or not (self._seen < 0 or self._has_moved(model)):
            return self.looks
        self._tree, self._seen = None, model.statistics.version
        self.looks += 1
        bases = [model.rows(each) for each in self._inputs]
        changes = [model.changes(each) for each in self._inputs]
        turnover = tuple(change / rows for change, rows in zip(changes, bases, strict=True))
        self.graph = self._graph_of(bases)
        self._factors = self._observed(model)
        self.rows = cache(self._rows)
        self._costs = StreamCosts(self.predicates, turnover, self.rows)
        return self.looks

    def _graph_of(self, bases: list[float]) -> QueryGraph:
        named = tuple(Base(str(number), rows) for number, rows in enumerate(bases))
        classes = tuple(self._class_of(joined, bases) for joined in self.predicates.classes)
        others = [each for each in self.predicates.others if each.mask.bit_count() > 1]
        return QueryGraph(named, classes, tuple((each.mask, kept_by(each.predicate)) for each in others))

    def _class_of(self, joined: tuple[Field, ...], bases: list[float]) -> EqualityClass:
        values: dict[int, float] = {}
        for field in joined:
            number = self.predicates.owner(field)
            place = field.position - self.predicates.starts[number]
            inputs = zip(self._inputs, bases, strict=True)
            found = distinct(self._inputs[number], place, bases[number], inputs)
            values[number] = max(values.get(number, 1.0), found)
        return EqualityClass(self.predicates.members(joined), tuple(sorted(values.items())))

    def _observed(self, model: CostModel) -> dict[int, float]:
        """Return the factor of each set that was seen, now or before."""
        now = model.statistics.tick
        factors = self._learned.believed()
        for mask in sorted(self.nodes, key=int.bit_count):
            seen = [each for plan in self.nodes[mask] if (each := model.seen(plan))]
            last = max(seen, key=lambda each: each.tick, default=None)
            if last is None or mask.bit_count() == 1:
                continue
            if last.tick == now or mask not in self._learned:
                before = self._promised(mask, {part: f for part, f in factors.items() if part != mask})
                factors[mask] = max(last.rows, LEAST) / before
                self._learned.see(mask, factors[mask], now)
        return factors

    def _promised(self, mask: int, factors: dict[int, float]) -> float:
        rows = estimated(self.graph, mask)
        for part, factor in factors.items():
            if part & mask == part:
                rows *= factor
        return max(rows, 1e-9)

    def _rows(self, mask: int) -> float:
        return self._promised(mask, self._factors)
