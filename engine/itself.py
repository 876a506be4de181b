"""What the engine says of itself, as rows of the tables that ``engine.model.itself`` declares.

    told   what is so now: views, the nodes below them, what these took since they were looked at last
    known  what the tables hold of it; the difference is what there is to say

An operator is named by what it computes, so it has one name in every run; a query over these tables has
operators too, and they are told like all others. Measures are rounded: what only trembles is not said.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from math import floor, log10

from engine.limits import row_bytes
from engine.model.clock import SECOND
from engine.model.itself import ITSELF, OPERATORS, QUERIES, QUERY_COSTS, QUERY_OPERATORS, RUNNING, SUSPENDED
from engine.model.relation import Relation
from engine.model.values import Row
from engine.plan.explaining.describing import describe
from engine.registry import Registry
from engine.upkeep import Upkeep
from engine.views.checkpoint import leaf_name
from engine.views.nodes import LeafNode, Node
from engine.views.view import View

Keyed = Mapping[Row, Row]
Told = Mapping[str, Keyed]
LONGEST = 300
MILLISECONDS, DIGITS = 3, 2  # of seconds so far; of what is estimated or a rate


class Itself:
    """Asked on the engine thread, between two ticks."""

    def __init__(self, views: Registry, upkeep: Upkeep) -> None:
        self._views, self._upkeep = views, upkeep
        self._names: dict[Node, str] = {}
        self._spent: dict[Node, float] = {}
        self._looked: int | None = None

    def known(self) -> Told:
        """Return what the tables hold."""
        return {each.name: _by_key(each, self._upkeep.held(each.name)) for each in ITSELF}

    def told(self, now: int) -> Told:
        """Return what is so, as of ``now`` on the clock that every look goes by."""
        views = list(self._views)
        wanted = {node for view in views for node in view.nodes}
        nodes = [node for node in self._upkeep.nodes() if node in wanted]
        self._name(nodes)
        held = {row[0]: row for row in self._upkeep.held(QUERIES.name)}
        before, self._spent = self._spent, {node: node.usage.seconds for node in nodes}
        elapsed = None if self._looked is None else (now - self._looked) / SECOND
        took = {node: max(spent - before.get(node, spent), 0.0) for node, spent in self._spent.items()}
        self._looked = now
        rows: dict[Relation, list[Row]] = {
            QUERIES: [self._query(view, held.get(view.name), now) for view in views],
            OPERATORS: [self._operator(node) for node in nodes],
            QUERY_OPERATORS: [(view.name, self._names[node]) for view in views for node in view.nodes],
            QUERY_COSTS: [_cost(view, took, elapsed) for view in views],
        }
        return {relation.name: _by_key(relation, found) for relation, found in rows.items()}

    def _query(self, view: View, held: Row | None, now: int) -> Row:
        state = RUNNING if view.suspended is None else SUSPENDED
        plan = None if view.node is None else self._names[view.node]
        said = (view.name, view.sql or None, plan, state)
        since = held[len(said)] if held is not None and held[: len(said)] == said else now
        return (*said, since, view.suspended)

    def _operator(self, node: Node) -> Row:
        usage = node.usage
        held = node.entries() if isinstance(node, LeafNode) else usage.counted
        seconds = round(usage.seconds, MILLISECONDS)
        return self._names[node], describe(node.plan)[:LONGEST], node.came(), usage.went, held, seconds

    def _name(self, nodes: Sequence[Node]) -> None:
        """Name the nodes, which come inputs first; those that are gone are forgotten."""
        self._names = {node: self._names[node] for node in nodes if node in self._names}
        taken = set(self._names.values())
        for node in nodes:
            if node not in self._names:
                self._names[node] = self._new_name(node, taken)
                taken.add(self._names[node])

    def _new_name(self, node: Node, taken: set[str]) -> str:
        said = leaf_name(node.plan) if isinstance(node, LeafNode) else describe(node.plan)
        text = "\n".join((said, str(node.plan.columns), *(self._names[each] for each in node.inputs)))
        name = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        return next(each for each in _variants(name) if each not in taken)


def _variants(name: str) -> Iterator[str]:
    """Yield names for what is described alike and is not the same."""
    yield name
    yield from (f"{name}-{nth}" for nth in count(2))


def _cost(view: View, took: Mapping[Node, float], elapsed: float | None) -> Row:
    load = _short(sum(took[node] for node in view.nodes) / elapsed) if elapsed else None
    kept = sum(node.usage.counted * row_bytes(node) for node in view.nodes)
    return view.name, len(view.rows), load, int(_short(kept))


def _short(value: float) -> float:
    """Return a value with two digits that count; what is less than a ten thousandth is nothing."""
    if value < 1e-4:
        return 0.0
    return round(value, DIGITS - 1 - floor(log10(value)))


def _by_key(relation: Relation, rows: Iterable[Row]) -> Keyed:
    places = relation.key_positions
    return {tuple(row[place] for place in places): row for row in rows}
