"""Recursive views through the session, one event a tick, against recomputation and against peers.

    floor, aim   median and p95 of a failure, as the table says, scaled by what scipy takes here
    peers        Pathway at least 10 times, DuckDB at least 5 times slower; scipy not faster on reachable

Ours runs pinned to one core; every state is compared with scipy's, outside of what is timed. All events
are swept through several times, each time from the load on, and the median of its tries is an event's
time, as a try may meet another process; where our share of the core is far from 100 %, p95 is of others'
making. A peer has all cores and gets the same events once, fewer where it is slow, and ratios are over
those that it got. What a peer is asked for is less than what a view gives: DuckDB counts rows and adds
costs up, and scipy's matrix is not turned into rows.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

from tests.benchmarks._networks import TASKS, Event, Kept, Network, Recomputed, Shown, named, network
from tests.benchmarks._peers import Peer, PeerMissing
from tests.benchmarks._recursion_memory import memory_results
from tests.benchmarks._report import Result, quantile, report

SCIPY_AT_100 = 0.44
SWEEPS = {100: 5, 1000: 3}
FLOORS = {
    ("reachable", 100): ((0.25, 0.5), (0.10, 0.20)),
    ("cheapest", 100): ((0.4, 1.0), (0.15, 0.4)),
    ("reachable", 1000): ((3, 6), (1.0, 2.0)),
    ("cheapest", 1000): ((10, 25), (3, 8)),
}
PEERS = (("pathway", "pathway==0.33.0", 10), ("duckdb", "duckdb==2.0.0", 5))
PEER_EVENTS = {("pathway", 1000): 10, ("duckdb", 1000): 10}


class Times(NamedTuple):
    """Milliseconds of the load and of the events, in order, and what each event left standing.

    ``share`` is the part of the time in which the process had its core.
    """

    load: float
    events: list[float]
    answers: list[tuple[int, int]]
    share: float = 1.0

    def part(self, first: int, count: int | None = None) -> list[float]:
        """Return failures, from 0, or recoveries, from 1."""
        return self.events[:count][first::2]


@contextmanager
def pinned() -> Iterator[None]:
    """Run on one core, where the system lets a process choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def ours(of: Network, task: str, sweeps: int) -> tuple[Times, float, int]:
    """Return our times, what scipy takes for a state, and how many cells differed; each sweep loads anew."""
    loads, sweep_times, recomputing, shares, wrong = [], [], [], [], 0
    answers: list[tuple[int, int]] = []
    for _ in range(sweeps):
        recomputed, counts = Recomputed(of), task == "cheapest"
        shown, kept = Shown(recomputed.number), Kept(of, (task,))
        load, changes = kept.send([(1, *link, cost) for link, cost in of.links.items()])
        loads.append(load)
        shown.take(changes[task])
        shown.compare(recomputed.costs(counts), counts)
        times, answers = [], []
        for event in of.events:
            taken, changes = kept.send(event)
            times.append(taken)
            recomputed.take(event)
            shown.take(changes.get(task, ()))
            shown.compare(recomputed.costs(counts), counts)
            answers.append(shown.answer(counts))
        sweep_times.append(times)
        shares.append(kept.computed / kept.taken)
        recomputing += recomputed.milliseconds
        wrong += shown.wrong
    events = [median(tries) for tries in zip(*sweep_times, strict=True)]
    return Times(median(loads), events, answers, median(shares)), median(recomputing), wrong


def peer_times(name: str, requirement: str, of: Network, task: str, events: list[Event]) -> Times:
    with Peer(name, [requirement], f"tests.benchmarks._{name}_recursion") as peer:
        links = [(*link, cost) for link, cost in of.links.items()]
        reply: dict[str, Any] = peer.ask({"task": task, "links": links, "events": events})
    return Times(reply["load"], reply["times"], [tuple(each) for each in reply["answers"][1:]])


def cell(task: str, size: int) -> tuple[list[Result], Times, float]:
    """Return the rows of one cell of the table, our times, and what scipy takes."""
    name = f"{task}, {size:,}"
    of = network(size)
    with pinned():
        times, scipy, wrong = ours(of, task, SWEEPS[size])
    results = [Result(f"{name}: states that differ from scipy's", wrong, "cells", floor=0)]
    results += bars(name, times, *FLOORS[task, size])
    results.append(Result(f"{name}: recovery, median", quantile(times.part(1), 0.5), "ms"))
    results.append(Result(f"{name}: recovery, p95", quantile(times.part(1), 0.95), "ms"))
    results.append(Result(f"{name}: load", times.load, "ms"))
    results.append(Result(f"{name}: our share of the core while timed", 100 * times.share, "%", "higher"))
    results.append(Result(f"{name}: scipy, all pairs again", scipy, "ms", peer="scipy"))
    for first, what in ((0, "failure"), (1, "recovery")):
        ratio = scipy / quantile(times.part(first), 0.5)
        floor = 1 if task == "reachable" and not first else None
        results.append(
            Result(
                f"{name}: scipy over ours, {what}", ratio, "ratio", "higher", floor, peer="scipy", ratio=ratio
            )
        )
    if size == 100:
        with pinned():
            other, _, differ = ours(named(of), task, SWEEPS[size])
        ratio = quantile(other.part(0), 0.5) / quantile(times.part(0), 0.5)
        results.append(Result(f"{name}: names for nodes over numbers, failure", ratio, "ratio", floor=1.5))
        results.append(Result(f"{name}: with names, states that differ", differ, "cells", floor=0))
    return results, times, scipy


def bars(name: str, times: Times, floors: tuple[float, float], aims: tuple[float, float]) -> list[Result]:
    """Return median and p95 of a failure; their floors are scaled once scipy's time at 100 nodes is known."""
    failures = times.part(0)
    return [
        Result(f"{name}: failure, median", quantile(failures, 0.5), "ms", floor=floors[0], aim=aims[0]),
        Result(f"{name}: failure, p95", quantile(failures, 0.95), "ms", floor=floors[1], aim=aims[1]),
    ]


def scaled(results: list[Result], scale: float) -> list[Result]:
    def bar(value: float | None) -> float | None:
        return None if value is None else value * scale

    return [
        result._replace(floor=bar(result.floor), aim=bar(result.aim)) if result.unit == "ms" else result
        for result in results
    ]


def beside_peer(peer: tuple[str, str, int], task: str, size: int, times: Times) -> list[Result]:
    """Return a peer's times beside ours, over the events that it got."""
    (name, requirement, floor), of = peer, network(size)
    count = PEER_EVENTS.get((name, size), len(of.events))
    case = f"{task}, {size:,}: {name}"
    try:
        theirs = peer_times(name, requirement, of, task, of.events[:count])
    except PeerMissing as missing:
        print(f"{case} was not measured: {missing}", file=sys.stderr)
        return [Result(f"{case} was not measured", 1, "missing")]
    wrong = sum(ours != other for ours, other in zip(times.answers, theirs.answers, strict=False))
    results = [
        Result(f"{case}, load", theirs.load, "ms", peer=requirement),
        Result(f"{case}, states that differ from ours", wrong, "states", floor=0, peer=requirement),
    ]
    for first, what in ((0, "failure"), (1, "recovery")):
        theirs_median = quantile(theirs.part(first), 0.5)
        ratio = theirs_median / quantile(times.part(first, count), 0.5)
        results.append(Result(f"{case}, {what}, median", theirs_median, "ms", peer=requirement))
        results.append(
            Result(
                f"{case} over ours, {what}", ratio, "ratio", "higher", floor, peer=requirement, ratio=ratio
            )
        )
    return results


def main() -> int:
    results: list[Result] = []
    beside: list[Result] = []
    scale = 1.0
    for size in (100, 1000):
        for task in TASKS:
            rows, times, scipy = cell(task, size)
            if (task, size) == ("cheapest", 100):
                scale = scipy / SCIPY_AT_100
            results += rows
            for peer in PEERS:
                beside += beside_peer(peer, task, size, times)
    print(
        f"scipy's all pairs at 100 nodes are {scale:.2f} times {SCIPY_AT_100} ms; ms bars are scaled by this"
    )
    return report("recursion", [*scaled(results, scale), *beside, *memory_results()])


if __name__ == "__main__":
    sys.exit(main())
