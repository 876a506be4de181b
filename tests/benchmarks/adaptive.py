"""SegTollS over Linear Road: a plan that follows its statistics, the best plan that does not, and a bad one.

    total seconds of     adaptive, its statistics empty at first  /  the single best static plan    <= 1.1
                         a bad static plan  /  adaptive                                             aim: 2

All of them are sessions over the same reports, slice by slice, one after the other, each first in turn:
what the machine does meanwhile hits all alike. After each slice their rows are compared; one that differs
ends the run. The best static plan is found by a run of its own over the same reports, among four (of 105):
those that an adaptive one took, then those that look best with the statistics of its end; the bad one is in
the middle of all that make no product. A slice is a tick; of slices of 5 and 10 s only the adaptive plan is
run.

What asking costs: a tick's ``adapt`` against an optimization from scratch of the same query with the same
statistics: while the windows fill, so that every part grows and leaves its dead-band; once they are full and
cars go on reporting at the same rates; and once nothing moves. Each is the mean of all ticks, of which one
in ``Policy.each`` asks.
"""

import sys
import time
from collections.abc import Iterator
from statistics import mean

from engine.model.values import Row
from engine.plan.expressions import Expr
from engine.plan.physical import Physical
from engine.session import Session
from federated.estimating.cost import CostModel
from federated.joining.region import Region
from federated.joining.regions import Regions
from federated.joining.trees import Tree, joined, joins
from federated.optimizer import FederatedOptimizer
from tests.benchmarks._linear_road import CATALOG, SEG_TOLL, Road
from tests.benchmarks._report import Result, report
from tests.memory_log import MemoryLog, rows_of

CARS, SECONDS, SEED = 450, 240, 1
CANDIDATES = 4
STABLE = 60
FULL = 330
"""Seconds after which the longest window, of 5 minutes, has been full for a while."""


class Fixed(Region):
    """A join that is always ordered in one way."""

    tree: Tree

    def best(self, model: CostModel) -> Tree:
        """Return the one tree."""
        super().best(model)
        return self.tree


class FixedRegions(Regions):
    """Regions that know one way."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self._tree = tree

    def _made(self, widths: tuple[int, ...], predicates: tuple[Expr, ...]) -> Region:
        region = Fixed(widths, predicates)
        region.tree = self._tree
        return region


class Contender:
    """A session with the one view; ``seconds`` is what its ticks took."""

    def __init__(self, name: str, tree: Tree | None = None, *, adapts: bool = False) -> None:
        self.name = name
        self.log = MemoryLog()
        self.regions = Regions() if tree is None else FixedRegions(tree)
        self.optimizer = FederatedOptimizer(regions=self.regions)
        self.session = Session(CATALOG, self.optimizer, self.log.history)
        self.session.adapting.is_on = adapts
        self.session.create_view(f"CREATE VIEW tolls AS {SEG_TOLL}")
        self.seconds = self.adapting = 0.0
        self.trees = {self.tree: None}

    @property
    def physical(self) -> Physical:
        return self.session._views["tolls"].physical

    @property
    def tree(self) -> Tree:
        ((_, tree),) = self.regions.within(self.physical)
        return tree

    def tick(self, length: int, rows: list[Row]) -> None:
        """Take one slice in; the log forgets it, no window of this query is filled from it."""
        self.log.readings.clear()
        self.log.write(length * 1_000_000, "cars", *rows)
        start, end = self.session.stamp.offset, self.log.end
        pieces = {each: self.log.fragment(each, start, end) for each in self.session.fragments()}
        begun = time.process_time()
        self.session.advance(end, self.log.stamps[end], pieces)
        told = time.process_time()
        self.session.adapt()
        self.adapting = time.process_time() - told
        self.seconds += time.process_time() - begun
        self.trees[self.tree] = None


def slices(length: int) -> Iterator[list[Row]]:
    """Yield the reports of slices of so many seconds."""
    held: list[Row] = []
    for second, rows in enumerate(Road(SEED, CARS).seconds(SECONDS), 1):
        held += rows
        if not second % length:
            yield held
            held = []


def race(contenders: list[Contender], length: int = 1) -> None:
    """Run all, slice by slice, whoever is first in turn, and compare their rows after each."""
    for number, rows in enumerate(slices(length)):
        turn = number % len(contenders)
        for each in contenders[turn:] + contenders[:turn]:
            each.tick(length, rows)
        wanted = rows_of(contenders[0].session, "tolls")
        for each in contenders[1:]:
            if rows_of(each.session, "tolls") != wanted:
                message = f"slice {number}: {each.name} differs from {contenders[0].name}"
                raise AssertionError(message)


def main() -> int:
    guide = Contender("guide", adapts=True)
    race([guide])
    found = {tree: Contender(f"static {tree}", tree) for tree in ranked(guide)[:CANDIDATES]}
    race(list(found.values()))
    best = min(found, key=lambda tree: found[tree].seconds)
    adaptive, static = Contender("adaptive", adapts=True), Contender("best", best)
    bad = Contender("bad", middling(guide))
    race([adaptive, static, bad])
    switches, abandoned = adaptive.session.adapting.totals()
    print(f"\nbest static {best}, bad {bad.tree}; adaptive took {', '.join(map(str, adaptive.trees))}")
    print(" ".join(f"{each.name} {each.seconds:.2f} s" for each in (adaptive, static, bad)))
    return report(
        "adaptive",
        [
            Result("adaptive / best static", adaptive.seconds / static.seconds, "times", "lower", 1.1, 1.0),
            Result("bad static / adaptive", bad.seconds / adaptive.seconds, "times", "higher", 1.2, 2.0),
            Result("rows alike after every slice", 1.0, "", "higher", 1.0),
            Result("switches", switches, "", "lower", 10.0),
            Result("given up", abandoned, "", "lower", 0.0),
            *of_slices(adaptive.seconds),
            *of_asking(),
        ],
    )


def ranked(guide: Contender) -> list[Tree]:
    """Return the trees that the adaptive plan took, then all that make no product, the cheapest first."""
    ((region, _),) = guide.regions.within(guide.physical)
    model = CostModel(guide.optimizer._statistics)
    related = [tree for tree in trees_over(tuple(range(5))) if makes_no_product(region, tree)]
    by_cost = sorted(related, key=lambda tree: region.cost(tree, model))
    return list(dict.fromkeys([*reversed(guide.trees), *by_cost]))


def middling(guide: Contender) -> Tree:
    """Return the tree in the middle of those that make no product."""
    trees = ranked(guide)
    return trees[len(trees) // 2]


def makes_no_product(region: Region, tree: Tree) -> bool:
    return all(region.predicates.between(left, right)[0] for left, right in joins(tree))


def trees_over(numbers: tuple[int, ...]) -> Iterator[Tree]:
    """Yield every tree over these inputs, each once."""
    if len(numbers) == 1:
        yield numbers[0]
        return
    first, *rest = numbers
    for taken in range(2 ** len(rest) - 1):
        left = (first, *(n for i, n in enumerate(rest) if taken >> i & 1))
        for one in trees_over(left):
            for other in trees_over(tuple(n for n in rest if n not in left)):
                yield joined(one, other)


def of_slices(of_one: float) -> list[Result]:
    """Run the adaptive plan with longer slices."""
    results = []
    for length in (5, 10):
        longer = Contender(f"slices of {length} s", adapts=True)
        longer.session.adapting.policy = longer.session.adapting.policy._replace(each=1)
        race([longer], length)
        results.append(Result(f"slices of {length} s / of 1 s", longer.seconds / of_one, "times", "lower"))
    return results


def of_asking() -> list[Result]:
    """Return what asking costs a tick, as a part of planning from scratch: with reports, and with none."""
    steady = Contender("steady", adapts=True)
    reports = [rows for _, rows in zip(range(30), Road(SEED, 90).seconds(30), strict=False)]
    asked = [asked_in(steady, 1, reports[number % 30]) for number in range(FULL + 2 * STABLE)]
    quiet = [asked_in(steady, 0, []) for _ in range(6 * STABLE)]
    scratch = mean(from_scratch(steady) for _ in range(STABLE))
    of_scratch = "planning from scratch"
    return [
        Result(f"asking while windows fill / {of_scratch}", mean(asked[STABLE : 3 * STABLE]) / scratch, ""),
        Result(
            f"asking at steady rates / {of_scratch}", mean(asked[-2 * STABLE :]) / scratch, "", "lower", 0.02
        ),
        Result(
            f"asking when nothing moves / {of_scratch}", mean(quiet[-STABLE:]) / scratch, "", "lower", 0.02
        ),
    ]


def asked_in(steady: Contender, length: int, rows: list[Row]) -> float:
    steady.tick(length, rows)
    return steady.adapting


def from_scratch(steady: Contender) -> float:
    """Plan the same query with the same statistics and nothing else known."""
    fresh = FederatedOptimizer()
    fresh._statistics = steady.optimizer._statistics
    logical = steady.session._views["tolls"].logical
    begun = time.process_time()
    fresh.optimize(logical)
    return time.process_time() - begun


if __name__ == "__main__":
    sys.exit(main())
