"""A physical plan, cut into parts that each partition runs a share of, and where rows go between them.

    rows needed by key, and not by it where they are    →  an exchange, to the owner of each row's key
    a part that cannot be split                          →  whole, at one partition
    stage(part)  =  the most exchanges below it          a stage is run once what is below it is whole

Filters, projections and unions run where their rows are; joins, anti-joins and groups by their keys; what
has each row once, by anything of the row; a recursive stratum by first values (``recursion``). What is left
(a limit, a global aggregate, rules that negate what they read or are bounded in rounds) has one home.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from engine.partitions.placing import (
    Everywhere,
    Gathered,
    Key,
    Placement,
    Route,
    Staying,
    first_of,
    handed_down,
    put_out,
    where,
    whole,
)
from engine.partitions.strata import may_split, rules_of
from engine.plan.leaves import Leaf
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Merge,
    Physical,
    Pick,
    Recursive,
    Unique,
    children,
    leaves,
)
from engine.plan.program import Program

DRIVER = -1


class Edge(NamedTuple):
    """Where the rows of a part go: to which input of which part, and by what."""

    to: int
    side: int
    route: Route


@dataclass(frozen=True)
class Part:
    """One node of the plan; ``home`` is where it runs if it is not split."""

    plan: Physical
    stage: int
    home: Gathered | None
    edges: tuple[Edge, ...]

    @property
    def program(self) -> Program | None:
        """The rules of a stratum that is split."""
        return rules_of(self.plan) if self.home is None else None


@dataclass(frozen=True)
class Cut:
    """The parts, what is read before what reads it, and where the rows of each leaf go."""

    parts: tuple[Part, ...]
    leaves: tuple[Leaf, ...]
    feeds: tuple[tuple[Edge, ...], ...]


def cut(plan: Physical) -> Cut:
    """Cut a plan."""
    return Cutting(plan).cut()


class Cutting:
    """One plan while it is cut."""

    def __init__(self, plan: Physical) -> None:
        found = in_order(plan)
        self._leaves = leaves(plan)
        self._nodes = [node for node in found if not isinstance(node, Leaf)]
        self._number: dict[Physical, int] = {node: number for number, node in enumerate(self._nodes)}
        self._root = plan
        self._wanted: dict[Physical, Key] = {}
        self._edges: dict[Physical, list[Edge]] = {node: [] for node in found}
        self._stage: dict[Physical, int] = {}

    def cut(self) -> Cut:
        for node in reversed(self._nodes):
            self._want(node)
        placed: dict[Physical, Placement] = {}
        for node in self._nodes:
            placed[node] = self._place(node, placed)
        self._edges[self._root].append(Edge(DRIVER, 0, Staying()))
        parts = tuple(
            Part(node, self._stage[node], self._home(node), tuple(self._edges[node])) for node in self._nodes
        )
        return Cut(parts, self._leaves, tuple(tuple(self._edges[leaf]) for leaf in self._leaves))

    def _want(self, node: Physical) -> None:
        """Note by which key it is best that an input comes, as the first that reads it needs it."""
        for child, needed in zip(children(node), self._needs(node), strict=True):
            key = needed if isinstance(needed, tuple) else None
            if needed is None:
                key = handed_down(self._wanted.get(node), node)
            if key is not None:
                self._wanted.setdefault(child, key)

    def _needs(self, node: Physical) -> tuple[Route | None, ...]:
        """Return how each input must come; None where any way will do that a row tells."""
        home = self._home(node)
        if home is not None:
            return tuple(home for _ in children(node))
        match node:
            case HashJoin(left, _, (), ()):
                return (whole(left), Everywhere())
            case HashJoin(_, _, left, right) | HashAntiJoin(_, _, left, right):
                return (left, right)
            case HashOuterJoin():
                return (node.left_keys, node.right_keys)
            case GroupBy(_, groups):
                return (groups,)
            case Recursive() | Closure() | BestPaths():
                return tuple(first_of(each) for each in children(node))
        return tuple(None for _ in children(node))

    def _home(self, node: Physical) -> Gathered | None:
        """Return the home of what cannot be split."""
        match node:
            case Filter() | Map() | Merge() | Unique() | HashJoin() | Pick():
                is_split = True
            case HashAntiJoin() | HashOuterJoin():
                is_split = bool(node.left_keys)
            case GroupBy(_, groups):
                is_split = bool(groups)
            case _:
                program = rules_of(node)
                is_split = program is not None and may_split(program)
        return None if is_split else Gathered(self._number[node])

    def _place(self, node: Physical, placed: Mapping[Physical, Placement]) -> Placement:
        """Lead the inputs of a node to it; return where its own rows are."""
        stage, came = 0, []
        for side, (child, needed) in enumerate(zip(children(node), self._needs(node), strict=True)):
            route = self._route(node, child, needed, placed)
            self._edges[child].append(Edge(self._number[node], side, route))
            came.append(placed.get(child) if isinstance(route, Staying) else where(route))
            if child in self._stage:
                crosses = not isinstance(route, Staying) or self._recurs(child)
                stage = max(stage, self._stage[child] + crosses)
        self._stage[node] = stage
        return put_out(node, tuple(came), self._home(node))

    def _recurs(self, node: Physical) -> bool:
        return rules_of(node) is not None and self._home(node) is None

    def _route(
        self, node: Physical, child: Physical, needed: Route | None, placed: Mapping[Physical, Placement]
    ) -> Route:
        """Return how an input comes; what a leaf holds comes from the driver, by what is wanted above."""
        is_leaf = isinstance(child, Leaf)
        if needed is not None:
            return Staying() if not is_leaf and needed == placed[child] else needed
        if is_leaf or (isinstance(node, Unique) and placed[child] is None):
            return self._wanted.get(child, whole(child))
        return Staying()


def in_order(plan: Physical) -> list[Physical]:
    """Return the nodes of a plan, each once, what is read before what reads it."""
    found: dict[Physical, None] = {}

    def visit(node: Physical) -> None:
        if node not in found:
            for child in children(node):
                visit(child)
            found[node] = None

    visit(plan)
    return list(found)
