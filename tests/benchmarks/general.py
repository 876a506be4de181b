"""Programs of many shapes, against recomputation, DuckDB and Pathway, one event at a time.

    same generation, non-linear closure, mutual recursion, points-to, active regions on a grid

    floor: the median event not slower than in Pathway, a deletion at least five times faster

Each case is a load and events: a row goes, and comes back, one event a tick, through the session; the
planner chooses the form. Every state of ours, and every one of Pathway's, is compared with recomputation
by hand. Peers run one after the other, when ours is done, in Pythons of their own; their times are taken
there, Pathway's from the commit to the close of its time at the sink, DuckDB's from the change to the
last row fetched.
"""

import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.values import Row
from engine.plan.logical import Fixpoint
from engine.plan.program import to_program
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from tests.benchmarks._general_cases import PROGRAMS, Case, Standing, case_of
from tests.benchmarks._peers import Peer
from tests.benchmarks._report import Result, quantile, report, shown
from tests.benchmarks._semi_naive import SemiNaive, closed_rows
from tests.benchmarks.recursion import pinned
from tests.memory_log import Change

PATHWAY = ["pathway==0.33.0"]
DUCKDB = ["duckdb==2.0.0"]
FASTER_ON_DELETIONS = 5
PATIENCE = 8.0
FEWEST = 4
WAYS = ("event", "deletion", "insertion")
PEERS = ("Pathway", "DuckDB", "semi-naive", "by hand")
OWN = ("load", "delete", "p95", "insert", "p95")


class Times(NamedTuple):
    """Milliseconds: of the load, of each deletion, of each insertion."""

    load: float
    deletions: list[float]
    insertions: list[float]

    def ways(self, count: int) -> tuple[list[float], ...]:
        """The times of the first events, as ``WAYS`` has them."""
        deletions, insertions = self.deletions[:count], self.insertions[:count]
        return deletions + insertions, deletions, insertions


class Contender(Protocol):
    """Who takes changes and says how many seconds that took; ``check`` is not timed."""

    def apply(self, changes: list[Change]) -> float: ...
    def check(self, standing: Standing) -> None: ...


def timed(case: Case, contender: Contender, patience: float = PATIENCE) -> Times:
    """Load a case, then let each event's row go and come back; fewer events where patience ends."""
    standing = {name: set(rows) for name, rows in case.rows.items()}
    load = contender.apply([Change(name, 1, row) for name, rows in case.rows.items() for row in rows])
    contender.check(standing)
    deletions: list[float] = []
    insertions: list[float] = []
    for name, row in case.events:
        deletions.append(contender.apply([Change(name, -1, row)]) * 1000)
        standing[name].remove(row)
        contender.check(standing)
        insertions.append(contender.apply([Change(name, 1, row)]) * 1000)
        standing[name].add(row)
        contender.check(standing)
        if len(deletions) >= FEWEST and sum(deletions + insertions) > patience * 1000:
            break
    return Times(load * 1000, deletions, insertions)


class Ours:
    """The product: a session with one view."""

    def __init__(self, case: Case) -> None:
        self.case, self.offset = case, 0
        self.session = Session(Catalog(case.program.relations()), FederatedOptimizer())
        self.session.install("view", case.program.view())
        self.rows: set[Row] = set()

    def apply(self, changes: list[Change]) -> float:
        self.offset += 1
        at = self.offset
        readings = [Reading(c.relation, c.sign, c.row, at, i, at) for i, c in enumerate(changes)]
        arriving = {f: [r for r in readings if r.relation == f.relation] for f in self.session.fragments()}
        began = time.perf_counter()
        deltas = self.session.advance(at, at, arriving)
        taken = time.perf_counter() - began
        for row, count in (change for delta in deltas for change in delta.changes):
            (self.rows.add if count > 0 else self.rows.remove)(row)
        return taken

    def check(self, standing: Standing) -> None:
        """What the deltas add up to is the view, and is what recomputation finds."""
        expected = self.case.program.recompute(standing)
        assert self.rows == expected == set(dict(self.session.snapshot("view").rows)), self.case.program.name


class Recomputing:
    """Evaluation anew at every event: of any rules, or by hand."""

    def __init__(self, case: Case, *, by_hand: bool) -> None:
        self.case, self.by_hand = case, by_hand
        self.standing: Standing = {name: set() for name in case.rows}
        plan = case.program.view()
        assert isinstance(plan, Fixpoint)
        program, self.closed = to_program(plan)
        self.rules, self.output = SemiNaive(program), plan.output
        self.rows: set[Row] = set()

    def apply(self, changes: list[Change]) -> float:
        began = time.perf_counter()
        for name, sign, row in changes:
            (self.standing[name].add if sign > 0 else self.standing[name].remove)(row)
        if self.by_hand:
            self.rows = self.case.program.recompute(self.standing)
        else:
            inputs = [closed_rows(plan, self.standing) for plan in self.closed]
            self.rows = self.rules.rows(inputs)[self.output]
        return time.perf_counter() - began

    def check(self, standing: Standing) -> None:
        assert self.by_hand or self.rows == self.case.program.recompute(standing), self.case.program.name


class Other:
    """A peer in a Python of its own."""

    def __init__(self, case: Case, peer: Peer, begin: dict[str, Any]) -> None:
        self.case, self.peer = case, peer
        peer.ask({"inputs": case.program.inputs, **begin})

    def apply(self, changes: list[Change]) -> float:
        return float(self.peer.ask({"changes": changes}))

    def check(self, standing: Standing) -> None:
        rows = {tuple(row) for row in self.peer.ask({"rows": True})}
        assert rows == self.case.program.recompute(standing), (self.case.program.name, "of a peer")


def peers_of(case: Case) -> Iterator[tuple[str, Times]]:
    """The times of everybody else, who run one after the other."""
    program = case.program
    with pinned():
        anew = timed(case, Recomputing(case, by_hand=False))
        by_hand = timed(case, Recomputing(case, by_hand=True))
    yield "semi-naive", anew
    yield "by hand", by_hand
    if program.duckdb:
        with Peer("duckdb", DUCKDB, "tests.benchmarks._duckdb_general") as peer:
            yield "DuckDB", timed(case, Other(case, peer, {"sql": program.duckdb}))
    with Peer("pathway", PATHWAY, "tests.benchmarks._pathway_general") as peer:
        yield "Pathway", timed(case, Other(case, peer, {"program": program.name}))


def measured(case: Case) -> list[Result]:
    """Ours, and how many times as long the others take over the same events."""
    title = f"{case.program.name}, {case.size}"
    with pinned():
        own = timed(case, Ours(case))
    median_and_p95 = {"median": 0.5, "p95": 0.95}
    results = [Result(f"{title}: load", own.load, "ms")]
    results += [
        Result(f"{title}: {way}, {name}", quantile(times, part), "ms")
        for way, times in (("deletion", own.deletions), ("insertion", own.insertions))
        for name, part in median_and_p95.items()
    ]
    print(f"{title:<24}" + "".join(f"{shown(result.value):>9}" for result in results), end="", flush=True)
    ratios = [ratio for peer, times in peers_of(case) for ratio in compared(title, peer, own, times)]
    by_case = {(ratio.peer, ratio.case.split(", ")[-1]): shown(ratio.value) for ratio in ratios}
    print(
        "".join(f"{'  '.join(by_case.get((peer, way), '-') for way in WAYS):>24}" for peer in PEERS),
        flush=True,
    )
    return results + ratios


def compared(title: str, peer: str, own: Times, times: Times) -> Iterator[Result]:
    """How many times as long a peer's median takes, over the events that it got to."""
    count = len(times.deletions)
    pairs = zip(WAYS, times.ways(count), own.ways(count), (1, FASTER_ON_DELETIONS, None), strict=True)
    for way, theirs, ours, floor in pairs:
        ratio = quantile(theirs, 0.5) / quantile(ours, 0.5)
        bar = floor if peer == "Pathway" else None
        yield Result(f"{title}: {peer} ÷ ours, {way}", ratio, "ratio", "higher", bar, peer=peer, ratio=ratio)


def main(names: list[str]) -> int:
    results: list[Result] = []
    print(f"{'ms; medians ÷ ours':<24}" + "".join(f"{head:>9}" for head in OWN), end="")
    print("".join(f"{f'{peer}: event del ins':>24}" for peer in PEERS))
    for program in PROGRAMS:
        if not names or program.name in names:
            for size in program.sizes:
                results += measured(case_of(program, size))
            if program.rewritten:
                print(f"    DuckDB, {program.rewritten}")
    return report("general", results, only_floors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
