"""The joins that the optimizer is measured on, and how competitors are timed: in turns, by medians.

Processor time, not the wall clock's: nothing here waits, and what else runs on the machine does not count.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from statistics import median
from time import process_time
from typing import NamedTuple

from federated.memo.graph import QueryGraph
from federated.memo.memo import Memo
from federated.memo.searched import Searched
from federated.memo.system_r import SystemR
from federated.memo.volcano import Volcano
from tests.benchmarks._join_graphs import chain, clique, q5, q8_join, seg_toll_s, star

MICROSECONDS = 1e6
PHYSICAL, LOGICAL = True, False
JOINED = "Q5, Q5S"
"""One join graph: Q5S is Q5 without what is done above its joins."""


class Case(NamedTuple):
    """A join graph; ``physical`` with orders, indices and their operators, else hash joins only."""

    name: str
    graph: QueryGraph
    physical: bool

    def searched(self) -> Searched:
        return Searched(self.graph, physical=self.physical)

    def memo(self) -> Memo:
        return Memo(self.graph, physical=self.physical)

    @property
    def size(self) -> int:
        return len(self.graph.bases)


def cases() -> list[Case]:
    return [
        Case(JOINED, q5(), PHYSICAL),
        Case("Q8Join", q8_join(), PHYSICAL),
        Case("SegTollS", seg_toll_s(), PHYSICAL),
        *(Case(f"chain {n}", chain(n), PHYSICAL) for n in (6, 8, 10)),
        *(Case(f"star {n}", selected(star(n)), n < 10) for n in (6, 8, 10)),
        *(Case(f"clique {n}", clique(n), LOGICAL) for n in (6, 8, 10)),
    ]


def selected(graph: QueryGraph) -> QueryGraph:
    """Return a star whose small tables are selected, each by a share of its own; else all orders tie."""
    middle, *around = graph.bases
    chosen = [base._replace(rows=base.rows * (0.9 - 0.07 * i)) for i, base in enumerate(around)]
    return replace(graph, bases=(middle, *chosen))


def spent(run: Callable[[], object]) -> float:
    """Return the microseconds of one run."""
    started = process_time()
    run()
    return (process_time() - started) * MICROSECONDS


def in_turns(runs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Run all in turns, so that what disturbs disturbs all; return the median of each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(spent(run))
    return {name: median(of) for name, of in times.items()}


def from_scratch(case: Case, rounds: int) -> float:
    """Return the microseconds of the fastest of the optimizers from scratch."""
    runs = {
        "memo": case.memo,
        "system r": lambda: SystemR(case.searched()),
        "volcano": lambda: Volcano(case.searched()),
    }
    return min(in_turns(runs, rounds).values())
