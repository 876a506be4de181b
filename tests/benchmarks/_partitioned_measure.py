"""One network, on shares or as the driver's own operator: what loading it takes, and each batch of deletions.

A batch is deleted, and inserted again, and then another is. Rounds and what is shipped are those of the
deletion. Who drives keeps neither links nor rows: both are handed on, and what comes back is tallied.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

import psutil

from engine.operators.budget import Budget
from engine.operators.of_plan import operator_of
from engine.partitions.carrying import Carrier
from engine.partitions.cutting import cut
from engine.partitions.epoch import Epochs, Traffic
from engine.plan.explaining.shares import Sent
from tests.benchmarks._partitioned_links import PLAN, Links, Tally, rows

BUDGET = Budget(rows=10**9)
TRIED = (-1, -2)  # a link that leads nowhere, to have all that is started once before anything is measured
Told = tuple[int, int, int]
Advance = Callable[[list[Any]], dict[Any, int]]


class Batch(NamedTuple):
    """What deleting a batch took, and inserting it again; what it left standing, and what was shipped."""

    seconds: float
    again: float
    deleted: int
    changed: int
    told: Told
    rounds: int = 0
    rows: int = 0
    bytes: int = 0
    derived: int = 0
    derived_bytes: int = 0


@dataclass
class Measured:
    """Seconds of the load, the batches; this process's megabytes before, after the load, and in the end."""

    links: Links
    partitions: int
    load: float = 0.0
    batches: list[Batch] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)

    def middle(self, name: str) -> float:
        """Return the median over the batches."""
        return median(getattr(batch, name) for batch in self.batches)

    @property
    def grown(self) -> float:
        return max(self.megabytes) - self.megabytes[0]


def on_shares(links: Links, carrier: Carrier, batches: int, part: float) -> Measured:
    """Measure a network on a carrier's shares, which are let go of in the end."""
    epochs = Epochs(cut(PLAN), carrier, BUDGET)
    epochs.begin()
    try:
        return measured(Measured(links, carrier.partitions), epochs.advance, batches, part, epochs.traffic)
    finally:
        carrier.end()


def at_the_driver(links: Links, batches: int, part: float) -> Measured:
    """Measure the same plan as the operator that it is without partitions."""
    operator = operator_of(PLAN, BUDGET)
    operator.start()
    return measured(Measured(links, 0), lambda changes: operator.step(*changes), batches, part, Traffic())


def measured(found: Measured, advance: Advance, batches: int, part: float, traffic: Traffic) -> Measured:
    links, tally = found.links, Tally()
    for sign in (1, -1):
        advance([{TRIED: sign}, {}])
    found.megabytes.append(megabytes())
    started = time.perf_counter()
    for piece in links.pieces():
        tally.take(advance([dict.fromkeys(rows(piece), 1), {}]))
    tally.take(advance([{}, links.seeds]))
    found.load = time.perf_counter() - started
    found.megabytes.append(megabytes())
    for number in range(batches):
        batch = links.batch(number, part)
        before = shipped(traffic)
        started = time.perf_counter()
        change = advance([dict.fromkeys(batch, -1), {}])
        seconds = time.perf_counter() - started
        sent = [now - then for now, then in zip(shipped(traffic), before, strict=True)]
        changed, rounds, told = tally.take(change), traffic.last_rounds, tally.told
        started = time.perf_counter()
        change = advance([dict.fromkeys(batch, 1), {}])
        again = time.perf_counter() - started
        tally.take(change)
        found.batches.append(Batch(seconds, again, len(batch), changed, told, rounds, *sent))
    found.megabytes.append(megabytes())
    return found


def shipped(traffic: Traffic) -> tuple[int, ...]:
    """Return rows and bytes, of all kinds and of what was derived."""
    sent, derived = traffic.sent.values(), traffic.sent.get("derived", Sent())
    return sum(each.rows for each in sent), sum(each.bytes for each in sent), *derived


def megabytes() -> float:
    return psutil.Process().memory_info().rss / 1e6
