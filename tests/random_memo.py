"""Random join graphs under random changes, and what they must cost: every plan's cost added up anew.

The rows of a set are the graph's times the factors of all sets inside it; an observed set's factor is
whatever gives it the rows that were seen. Costs come from `Space.local` and the inputs' best, node by node.
"""

from dataclasses import dataclass, field
from math import inf
from random import Random

from federated.memo.cardinality import estimated
from federated.memo.graph import QueryGraph
from federated.memo.joining import Catalog, join_graph
from federated.memo.levels import Levels
from federated.memo.memo import Memo, Plan
from federated.memo.sets import members
from tests.benchmarks._join_graphs import chain, clique, q5, q8_join, q10, seg_toll_s, star
from tests.naive_memo import Naive

EXACT = (0.25, 0.5, 2.0, 4.0, 8.0)
ROUGH = (0.013, 0.37, 0.9, 1.1, 3.7, 61.0)


def random_graph(random: Random, *, largest: int = 6) -> QueryGraph:
    """Return a graph of powers of two, whose costs tie often, or of one of the known shapes."""
    known = [q5, q8_join, q10, seg_toll_s, *(lambda n=n: chain(n) for n in (3, 6))]
    known += [lambda: star(5), lambda: clique(4)]
    if random.random() < 0.3:
        return random.choice(known)()
    n = random.randint(2, largest)
    rows = {f"t{i}": float(2 ** random.randint(2, 9)) for i in range(n)}
    edges = [(random.randrange(i), i) for i in range(1, n) if random.random() < 0.95]
    edges += [tuple(sorted(random.sample(range(n), 2))) for _ in range(random.randint(0, n // 2))]
    columns = [(f"t{i}.c{random.randint(0, 2)}", f"t{j}.c{random.randint(0, 2)}") for i, j in edges]
    named = sorted({column for pair in columns for column in pair})
    values = {column: float(2 ** random.randint(0, 5)) for column in named}
    some = [frozenset(c for c in named if random.random() < 0.4) for _ in range(2)]
    kept = {("t0", f"t{n - 1}"): 0.25} if random.random() < 0.3 else {}
    products = random.random() < 0.1
    return join_graph(rows, columns, Catalog(values, *some), kept=kept, products=products)


@dataclass
class Changing:
    """A memo, the same changes kept as factors, and what both say."""

    graph: QueryGraph
    memo: Memo
    physical: bool = True
    kept: dict[int, float] = field(default_factory=dict)
    seen: dict[int, float] = field(default_factory=dict)
    factors: dict[int, float] = field(default_factory=dict)

    def change(self, random: Random) -> None:
        """Make one random change."""
        mask = random.choice(self.memo.space.masks)
        factor = random.choice(EXACT if random.random() < 0.7 else ROUGH)
        match random.randrange(10):
            case 0 | 1:
                step = random.randrange(len(self.memo.space.ands))
                self.memo.change_step(step, factor)
                self.factors[step] = self.factors.get(step, 1.0) * factor
            case 2:
                self.observe(mask, float(2 ** random.randint(0, 20)))
            case 3 if self.seen and random.random() < 0.5:
                released = random.choice(list(self.seen))
                self.memo.release(released)
                del self.seen[released]
            case 3:
                any_set = random.randrange(1, self.graph.everything + 1)
                self.scale(any_set, factor)
            case _:
                self.scale(mask, factor)

    def scale(self, mask: int, factor: float) -> None:
        self.memo.change(mask, factor)
        if mask in self.seen:
            self.seen[mask] *= factor
        self._follow(mask, factor)

    def observe(self, mask: int, rows: float) -> None:
        self.memo.observe(mask, rows)
        self._follow(mask, rows / self.rows(mask))
        self.seen[mask] = rows

    def _follow(self, mask: int, factor: float) -> None:
        self.kept[mask] = self.kept.get(mask, 1.0) * factor
        for seen in sorted(self.seen, key=int.bit_count):
            if seen & mask == mask and seen != mask:
                self.kept[seen] = self.kept.get(seen, 1.0) * self.seen[seen] / self.rows(seen)

    def rows(self, mask: int) -> float:
        rows = estimated(self.graph, mask)
        for part, factor in self.kept.items():
            rows *= factor if part & mask == part else 1.0
        return rows

    def wrong(self) -> list[str]:
        """Return the nodes whose best cost, or costs, or plan are not what adding up anew gives."""
        space = self.memo.space
        rows = [self.rows(mask) for mask in space.masks]
        best: list[float] = []
        found = []
        for node in space.ors:
            costs = [
                sum(best[i] for i in space.ands[step].inputs)
                + space.local(space.ands[step], rows, self.factors.get(step, 1.0))
                for step in node.ways
            ]
            best.append(min(costs))
            if not all(map(close, self.memo.costs(node.id), costs)):
                found.append(f"costs of {node}: {self.memo.costs(node.id)}, expected {costs}")
            if not close(self.memo.best(node.id), best[-1]):
                found.append(f"best of {node}: {self.memo.best(node.id)}, expected {best[-1]}")
        for place, root in enumerate(space.roots):
            if not close(self.added_up(self.memo.plan(place), rows), best[root]):
                found.append(f"plan of root {place}")
        return found

    def added_up(self, plan: Plan, rows: list[float]) -> float:
        step = self.memo.space.ands[plan.step]
        own = self.memo.space.local(step, rows, self.factors.get(plan.step, 1.0))
        return own + sum(self.added_up(each, rows) for each in plan.inputs)

    def naive(self) -> Naive:
        """Return the naive optimizer with the same factors on sets; factors on steps it does not know."""
        naive = Naive(self.graph, physical=self.physical)
        for part, factor in self.kept.items():
            naive.scale(frozenset(members(part)), factor)
        return naive


def changing(random: Random, *, largest: int = 6, roots: int = 1) -> Changing:
    """Return a memo of lists or of arrays; of these some follow a change even where that is more effort."""
    graph = random_graph(random, largest=largest)
    physical = random.random() < 0.6
    wanted = [graph.everything] + [random.randrange(1, graph.everything + 1) for _ in range(roots - 1)]
    memo = Memo(graph, wanted, physical=physical, arrays=random.random() < 0.5)
    if isinstance(memo._costed, Levels) and random.random() < 0.5:
        memo._costed._enough = inf
    return Changing(graph, memo, physical)


def close(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
