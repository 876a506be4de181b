"""The maintenance schemes side by side: what a change costs in bytes, state and time.

A scheme that has not finished after its limit is measured as far as it came, and says so.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.network.dred import DRed
from engine.network.network import Network
from engine.network.relative import Relative
from engine.operators.ship import EAGER, LAZY, Policy
from engine.plan.program import Program
from engine.provenance.absorption import Absorption
from tests.rules import program

REACHABLE = program("reach(x, y) :- link(x, y)", "reach(x, y) :- link(x, z), reach(z, y)")
DENSE, SPARSE = 4, 2
SITES = 12
LIMIT = 20.0
Make = Callable[[Program, int], Any]


def absorbing(policy: Policy) -> Make:
    """Absorption with one manager for all sites, which measures the same bytes and is faster."""

    def make(rules: Program, sites: int) -> Network[Any]:
        shared = Absorption()
        return Network(rules, lambda: shared, sites, policy)

    return make


SCHEMES: dict[str, Make] = {
    "DRed": DRed,
    "relative eager": lambda rules, sites: Relative(rules, sites, EAGER),
    "relative lazy": lambda rules, sites: Relative(rules, sites, LAZY),
    "absorption eager": absorbing(EAGER),
    "absorption lazy": absorbing(LAZY),
}
WITHOUT_EAGER = tuple(name for name in SCHEMES if name != "absorption eager")


class Cost(NamedTuple):
    """What changes cost: bytes of provenance a shipped row, bytes shipped, bytes held a site, …"""

    provenance: float
    shipped: float
    state: float
    milliseconds: float
    rounds: int
    rows: int
    finished: bool


class Measured:
    """One scheme on one program, measured change by change."""

    def __init__(self, make: Make, rules: Program, sites: int = SITES) -> None:
        self.sites = sites
        self.engine = make(rules, sites)
        self.finished = True
        self._seconds = 0.0
        self._mark = self._traffic()

    def insert(self, relation: int, rows: Iterable[Row]) -> None:
        self._timed(lambda: self.engine.insert(relation, rows))

    def delete(self, relation: int, rows: Iterable[Row]) -> None:
        self._timed(lambda: self.engine.delete(relation, rows))

    def assume(self, relation: int, rows: Iterable[Row]) -> None:
        self._timed(lambda: self.engine.assume(relation, rows))

    def cost(self, *, restart: bool = False) -> Cost:
        """Return what was spent since the beginning, or since the last restart."""
        (rows, size, provenance, rounds, carrying), now = self._mark, self._traffic()
        spent = Cost(
            (now[2] - provenance) / max(now[4] - carrying, 1),
            now[1] - size,
            sum(site.state_size() for site in self.engine.sites) / self.sites,
            1000 * self._seconds,
            now[3] - rounds,
            now[0] - rows,
            self.finished,
        )
        if restart:
            self._mark, self._seconds = now, 0.0
        return spent

    def _timed(self, change: Callable[[], None]) -> None:
        if not self.finished:
            return
        began = time.perf_counter()
        change()
        if isinstance(self.engine, Network):
            self.finished = settled(self.engine, began + LIMIT)
        else:
            self.engine.settle()
        self._seconds += time.perf_counter() - began

    def _traffic(self) -> tuple[int, int, int, int, int]:
        traffic = self.engine.channels.traffic
        carrying = traffic.rows["head"] + traffic.rows["side"]
        return traffic.rows.total(), traffic.size, traffic.provenance, traffic.rounds, carrying


def settled(network: Network[Any], deadline: float) -> bool:
    """Deliver in rounds until all is quiet, or until the deadline; tell which."""
    channels = network.channels
    while not channels.are_empty:
        channels.traffic.rounds += 1
        under_way: dict[tuple[int, int], int] = {}
        for sender, receiver, _ in channels.under_way():
            under_way[sender, receiver] = under_way.get((sender, receiver), 0) + 1
        for channel, count in sorted(under_way.items()):
            for _ in range(count):
                if time.perf_counter() > deadline:
                    return False
                channels.deliver(*channel)
    network.recycle()
    return True
