"""Which plans outgrow the driver: their operators are partitioned then, until they fit again.

    kept(plan)  =  Σ over its operators of the rows that each holds, by what was seen
    kept > most  →  partitioned            its leaves hold a quarter of what they held then  →  in the driver

A plan in the driver costs no rounds between processes, so it stays there as long as it fits. A guess makes
no plan outgrow anything: what was never seen holds as much as the largest of what feeds it. What goes on
inside of shares is not observed, so a plan goes back by its leaves.

A plan that reads what shares hold already reads it there: ``running`` tells which plans run.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

from engine.contracts import Switch
from engine.plan.constant import Constant
from engine.plan.explaining import Keeps, Room
from engine.plan.leaves import Leaf
from engine.plan.logical import AggregateCall
from engine.plan.nearest import NearestPaths
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    GroupBy,
    Map,
    Merge,
    Partitioned,
    Physical,
    Pick,
    Recursive,
    children,
    leaves,
    nodes,
)

MOST_ROWS = 500_000
AGAIN = 4
SMALL = {"count", "sum", "avg", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "bool_and", "bool_or"}
Seen = Callable[[Physical], float | None]


class Outgrown:
    """Says of plans whether they are partitioned; with no ``partitions`` none is."""

    def __init__(self, partitions: int = 0, most: float = MOST_ROWS) -> None:
        self.partitions, self.most = partitions, most
        self.running: Callable[[], Iterable[Physical]] = tuple
        self._when_cut: dict[Physical, Room] = {}

    def of(self, plan: Physical, seen: Seen) -> Physical:
        """Return a plan as it is to run."""
        if not self.partitions:
            return plan
        whole = replaced(plan, lambda node: node.child if isinstance(node, Partitioned) else None)
        there = {each.child: each for each in self.running() if isinstance(each, Partitioned)}
        shared = replaced(whole, there.get)
        held = kept(shared, seen)
        if not any(map(holds, nodes(shared))) or held <= self.most:
            return shared
        self._when_cut[whole] = Room(held, self.most, self.partitions, back=fed(whole, seen) / AGAIN)
        return Partitioned(whole)

    def room(self, plan: Physical, seen: Seen, keeps: Keeps | None) -> Room | None:
        """Say where a plan is held and why; nothing where that could not be in shares."""
        if not self.partitions:
            return None
        when_cut = self._when_cut.get(plan.child) if isinstance(plan, Partitioned) else None
        found = when_cut or Room(kept(plan, seen), self.most)
        apart = [each for each in leaves(plan) if keeps is not None and keeps(each).shares is not None]
        spread = tuple((each.relation.name, rows(each, seen)) for each in apart)
        return found._replace(fed=fed(plan, seen), spread=spread)

    def rows(self, rows: int, is_here: bool) -> bool:
        """Tell whether a leaf's rows, which are here or in shares, are to be in shares."""
        return bool(self.partitions) and rows > (self.most if is_here else self.most / AGAIN)

    def switch(self, running: Physical, seen: Seen) -> Switch | None:
        """Return how a plan that runs would be run by now, where that is otherwise."""
        if isinstance(running, Partitioned):
            held = fed(running.child, seen)
            when_cut = self._when_cut.get(running.child)
            fits = not self.partitions or (when_cut is not None and held < when_cut.back)
            return Switch(running.child, AGAIN * held, held, held) if fits else None
        if not self.partitions or kept(running, seen) <= self.most:
            return None
        found = self.of(running, seen)
        held = kept(running, seen)
        return Switch(found, held, held / (1 + self.partitions), held) if found is not running else None


def replaced(plan: Physical, other: Callable[[Physical], Physical | None]) -> Physical:
    """Return a plan with other nodes in place of those for which there are some."""
    found = other(plan)
    if found is not None:
        return found
    if isinstance(plan, Leaf | Partitioned):
        return plan
    changed: dict[str, Any] = {}
    for name, value in ((each.name, getattr(plan, each.name)) for each in fields(plan)):
        if isinstance(value, Physical):
            changed[name] = replaced(value, other)
        elif isinstance(value, tuple) and value and all(isinstance(each, Physical) for each in value):
            changed[name] = tuple(replaced(each, other) for each in value)
    is_same = all(found == getattr(plan, name) for name, found in changed.items())
    return plan if is_same else replace(plan, **changed)


def kept(plan: Physical, seen: Seen) -> float:
    """Return how many rows the operators of a plan hold."""
    return sum(held_by(node, seen) for node in nodes(plan))


def fed(plan: Physical, seen: Seen) -> float:
    """Return how many rows the leaves of a plan hold."""
    return sum(rows(leaf, seen) for leaf in leaves(plan))


def rows(plan: Physical, seen: Seen) -> float:
    """Return the rows of a node that were seen, or that must be thought of what feeds it."""
    found = seen(plan)
    return found if found is not None else max([rows(each, seen) for each in children(plan)], default=0.0)


def holds(plan: Physical) -> bool:
    """Tell whether a node's operator holds rows."""
    return not isinstance(plan, Leaf | Constant | Filter | Map | Merge | Pick | Partitioned)


def is_small(call: AggregateCall) -> bool:
    """Tell whether a group keeps numbers of its aggregate's values, and not the values."""
    return call.function in SMALL and not call.distinct


def held_by(node: Physical, seen: Seen) -> float:
    match node:
        case GroupBy(child=child, calls=calls):
            return rows(node, seen) + (0.0 if all(map(is_small, calls)) else rows(child, seen))
        case Closure() | BestPaths() | NearestPaths() | Recursive():
            return rows(node, seen) + sum(rows(each, seen) for each in children(node))
    return sum(rows(each, seen) for each in children(node)) if holds(node) else 0.0
