"""Which plans outgrow the driver: their operators are partitioned then, until they fit again.

    kept(plan)  =  Σ over its operators of the rows that each holds, as seen where it runs, else as estimated
    kept > most  →  partitioned            kept < most / 4  →  in the driver again

A plan in the driver costs no rounds between processes, so it stays there as long as it fits.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.contracts import Switch
from engine.plan.nearest import NearestPaths
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    FirstRows,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Partitioned,
    Physical,
    Recursive,
    Unique,
    children,
    nodes,
)

MOST_ROWS = 500_000
AGAIN = 4
RowsOf = Callable[[Physical], float]


@dataclass(frozen=True)
class Outgrown:
    """Says of plans whether they are partitioned; with no ``partitions`` none is."""

    partitions: int = 0
    most: float = MOST_ROWS

    def of(self, plan: Physical, rows: RowsOf) -> Physical:
        """Return a plan as it is to run."""
        return Partitioned(plan) if self.partitions and kept(plan, rows) > self.most else plan

    def switch(self, running: Physical, rows: RowsOf) -> Switch | None:
        """Return how a plan that runs would be run by now, where that is otherwise."""
        if isinstance(running, Partitioned):
            held = kept(running.child, rows)
            fits = held < self.most / AGAIN or not self.partitions
            return Switch(running.child, self.most, held, held) if fits else None
        found = self.of(running, rows)
        if found is running:
            return None
        held = kept(running, rows)
        return Switch(found, held, held / (1 + self.partitions), held)


def kept(plan: Physical, rows: RowsOf) -> float:
    """Return how many rows the operators of a plan hold."""
    return sum(held_by(node, rows) for node in nodes(plan))


def held_by(node: Physical, rows: RowsOf) -> float:
    match node:
        case GroupBy():
            return rows(node)
        case HashJoin() | HashAntiJoin() | HashOuterJoin() | Unique() | FirstRows():
            return sum(map(rows, children(node)))
        case Closure() | BestPaths() | NearestPaths() | Recursive():
            return rows(node) + sum(map(rows, children(node)))
    return 0.0
