"""The networks of the recursion benchmark, the session that keeps views over one, and what scipy says of it.

An event is one link that fails or recovers, both directions at once: one tick.
"""

import csv
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget
from engine.plan.logical import Plan, Scan
from engine.queries.paths import cheapest
from engine.queries.reachability import reachable
from engine.session import Session
from federated.optimizer import FederatedOptimizer

FOLDER = Path(__file__).parent / "data"
FAILURES = 40
TASKS = ("reachable", "cheapest")
Link = tuple[Any, Any]
Event = list[tuple[int, Any, Any, int]]


class Network(NamedTuple):
    """Directed links with their costs, and the events; ``columns`` are what their relation calls these."""

    links: dict[Link, int]
    events: list[Event]
    columns: tuple[str, str, str] = ("source", "target", "cost")

    @property
    def nodes(self) -> list[Any]:
        return sorted({node for link in self.links for node in link})


def network(nodes: int) -> Network:
    """Return a network; of 1,000 nodes every so-manieth link fails, so that all parts of it are met."""
    with (FOLDER / f"transit-stub-{nodes}.csv").open() as lines:
        links = {(int(a), int(b)): int(cost) for a, b, cost in csv.reader(lines)}
    listed = FOLDER / f"transit-stub-{nodes}-events.csv"
    if listed.exists():
        with listed.open() as lines:
            told = [(sign, int(a), int(b)) for sign, a, b, _ in csv.reader(lines)]
    else:
        both_ways = [(a, b) for a, b in links if a < b]
        failing = both_ways[:: len(both_ways) // FAILURES][:FAILURES]
        told = [(sign, a, b) for a, b in failing for sign in "-+"]
    events = [
        [(-1 if sign == "-" else 1, *link, links[link]) for link in ((a, b), (b, a))] for sign, a, b in told
    ]
    return Network(links, events)


def named(plain: Network) -> Network:
    """Return the same network with names for nodes, in a relation with other columns."""
    name = {node: f"junction {node:04} of the north line" for node in plain.nodes}
    links = {(name[a], name[b]): cost for (a, b), cost in plain.links.items()}
    events = [[(sign, name[a], name[b], cost) for sign, a, b, cost in event] for event in plain.events]
    return Network(links, events, ("departure", "arrival", "minutes"))


class Kept:
    """A session that keeps views over a network's links; ``computed`` is what of ``taken`` was its own."""

    def __init__(self, network: Network, tasks: tuple[str, ...]) -> None:
        a, _ = next(iter(network.links))
        types = [Type.TEXT if isinstance(a, str) else Type.BIGINT] * 2 + [Type.BIGINT]
        columns = tuple(map(Column, network.columns, types))
        relation = Relation("link", RelationKind.TABLE, columns)
        self.session = Session(Catalog([relation]), FederatedOptimizer(), budget=Budget(rows=2_000_000))
        for task in tasks:
            self.session.install(task, query(task, Scan(relation, None), network.columns))
        (self._fragment,) = (each for each in self.session.fragments() if each.relation == "link")
        self._tick = 0
        self.taken = self.computed = 0.0

    def send(self, event: Event) -> tuple[float, dict[str, tuple[tuple[Row, int], ...]]]:
        """Close a tick with an event; return its milliseconds and the views' changes."""
        self._tick += 1
        readings = [
            Reading("link", sign, tuple(row), self._tick, n, 0) for n, (sign, *row) in enumerate(event)
        ]
        pass_of_tick = {self._fragment: readings}
        computed, started = time.process_time(), time.perf_counter()
        deltas = self.session.advance(self._tick, self._tick, pass_of_tick)
        taken = 1000 * (time.perf_counter() - started)
        self.taken += taken
        self.computed += 1000 * (time.process_time() - computed)
        return taken, {delta.view: delta.changes for delta in deltas}


def query(task: str, link: Plan, columns: tuple[str, str, str]) -> Plan:
    source, target, cost = columns
    return reachable(link, source, target) if task == "reachable" else cheapest(link, source, target, cost)


class Recomputed:
    """What scipy says of the links as they stand: least costs of at least one step, by node number."""

    def __init__(self, network: Network) -> None:
        self.number = {node: i for i, node in enumerate(network.nodes)}
        self.links = dict(network.links)
        self.milliseconds: list[float] = []

    def take(self, event: Event) -> None:
        for sign, source, target, cost in event:
            if sign > 0:
                self.links[source, target] = cost
            else:
                del self.links[source, target]

    def costs(self, counts: bool = True) -> Any:
        """Return the least costs, of which only the all-pairs search is timed; or the least hops."""
        size = len(self.number)
        ends = [(self.number[a], self.number[b]) for a, b in self.links]
        sources, targets = (np.array(part) for part in zip(*ends, strict=True))
        costs = np.array(list(self.links.values()), float)
        matrix = csr_matrix((costs, (sources, targets)), (size, size))
        started = time.perf_counter()
        found = dijkstra(matrix, unweighted=not counts)
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        round_trips = costs + found[targets, sources]
        cycles = np.full(size, np.inf)
        np.minimum.at(cycles, sources, round_trips)
        np.fill_diagonal(found, cycles)
        return found


class Shown:
    """A view as its deltas tell it, as a matrix; it checks each delta against what it had."""

    def __init__(self, number: dict[Any, int]) -> None:
        self._number = number
        self._costs = np.full((len(number), len(number)), np.inf)
        self.wrong = 0

    def take(self, changes: tuple[tuple[Row, int], ...]) -> None:
        gone = [row for row, sign in changes if sign < 0]
        come = [row for row, sign in changes if sign > 0]
        for rows, fresh in ((gone, False), (come, True)):
            if rows:
                places = tuple(np.array([[self._number[row[0]], self._number[row[1]]] for row in rows]).T)
                costs = np.array([row[2] if len(row) > 2 else 0.0 for row in rows], float)
                expected = np.inf if fresh else costs
                self.wrong += int(np.count_nonzero(self._costs[places] != expected))
                self._costs[places] = costs if fresh else np.inf

    def compare(self, costs: Any, counts: bool) -> None:
        expected = costs if counts else np.where(costs < np.inf, 0.0, np.inf)
        self.wrong += int(np.count_nonzero(self._costs != expected))

    def answer(self, counts: bool) -> tuple[int, int]:
        """Return how many rows there are, and what their costs add up to."""
        there = self._costs < np.inf
        return int(np.count_nonzero(there)), int(self._costs[there].sum()) if counts else 0
