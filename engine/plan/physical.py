"""The physical plan: which operators run, over what each site is asked for.

A leaf (``leaves``) is fed by a fragment that a site runs; what stands above it runs in the operators.
Nodes are frozen values, so equal sub-plans of different views are one operator.
"""

from dataclasses import dataclass
from functools import cached_property

from engine.model.relation import Column, Relation
from engine.plan.constant import Constant
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.leaves import Leaf, Shipped, StreamFragment, Table, Totalled, Windowed
from engine.plan.logical import AggregateCall, SortKey
from engine.plan.nearest import NearestPaths
from engine.plan.outer_join import HashOuterJoin
from engine.plan.program import Program
from engine.plan.sharing import node
from engine.plan.windows import Range, Rows, Unbounded


class Passing:
    """A node with its child's columns."""

    child: "Physical"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


@node
@dataclass(frozen=True)
class Filter(Passing):
    """Selection."""

    child: "Physical"
    predicate: Expr


@node
@dataclass(frozen=True)
class Map:
    """Projection."""

    child: "Physical"
    expressions: tuple[Expr, ...]
    columns: tuple[Column, ...]


@node
@dataclass(frozen=True)
class HashJoin:
    """Equi-join on key expressions, each over its own side; no keys is the cross product."""

    left: "Physical"
    right: "Physical"
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return self.left.columns + self.right.columns


@node
@dataclass(frozen=True)
class GroupBy:
    """Group aggregate; without groups there is always one row."""

    child: "Physical"
    groups: tuple[Expr, ...]
    calls: tuple[AggregateCall, ...]
    columns: tuple[Column, ...]


@node
@dataclass(frozen=True)
class Unique(Passing):
    """Duplicate elimination."""

    child: "Physical"


@node
@dataclass(frozen=True)
class Merge:
    """Union of bags."""

    inputs: "tuple[Physical, ...]"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.inputs[0].columns


@node
@dataclass(frozen=True)
class HashAntiJoin:
    """The rows on the left whose key is nowhere on the right."""

    left: "Physical"
    right: "Physical"
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.left.columns


@node
@dataclass(frozen=True)
class FirstRows(Passing):
    """The first ``count`` rows after ``skip`` in an order, or all after ``skip``."""

    child: "Physical"
    order: tuple[SortKey, ...]
    count: int | None
    skip: int


@node
@dataclass(frozen=True)
class Closure:
    """H(x, ȳ) :- seed(x, ȳ).   H(x, ȳ) :- edge(x, z), H(z, ȳ).

    Rows of ``edges`` are x then z, of ``width`` columns each, rows of ``seeds`` x then ȳ, each row
    once. A row put out is x then ȳ, reordered: its i-th value is the ``order[i]``-th of these.
    """

    edges: "Physical"
    seeds: "Physical"
    width: int
    order: tuple[int, ...]
    columns: tuple[Column, ...]


@node
@dataclass(frozen=True)
class BestPaths:
    """H(x, ȳ, best c) :- seed(x, ȳ, c).   H(x, ȳ, best w∘c) :- edge(x, z, w), H(z, ȳ, c).

    ``best`` is min or max, ``combine`` one of +, least, greatest. Rows of ``edges`` are x, z, w;
    rows of ``seeds`` x, ȳ, c; each row once. A row put out is x, ȳ, c, reordered as in ``Closure``.
    """

    edges: "Physical"
    seeds: "Physical"
    width: int
    best: str
    combine: str
    order: tuple[int, ...]
    columns: tuple[Column, ...]


@node
@dataclass(frozen=True)
class Recursive:
    """Any stratum, by its rules over ``inputs``, each row of an input once.

    Rows of the only definition as they are; of several, each behind its definition's number.
    """

    inputs: "tuple[Physical, ...]"
    program: Program

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.program.definitions[0].columns


@node
@dataclass(frozen=True)
class Pick:
    """The rows of one definition of a ``Recursive`` of several."""

    child: Recursive
    number: int

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.program.definitions[self.number].columns


@node
@dataclass(frozen=True)
class Partitioned(Passing):
    """A plan whose operators are hash-partitioned; what feeds it are its leaves (``engine.partitions``)."""

    child: "Physical"


Plain = Filter | Map | HashJoin | GroupBy | Unique | Merge | HashAntiJoin | HashOuterJoin | FirstRows
Stratum = Closure | BestPaths | NearestPaths | Recursive | Pick
Physical = Leaf | Constant | Plain | Stratum | Partitioned

SHIPPABLE = {
    kind.__name__: kind
    for kind in (
        *(Relation, Column, StreamFragment, Table, Windowed, Range, Rows, Unbounded),
        *(Field, Literal, Call, AggregateCall, SortKey),
        *(Filter, Map, HashJoin, GroupBy, Unique, Merge),
    )
}
"""What a plan may be made of that another site is asked to run."""


def children(plan: Physical) -> tuple[Physical, ...]:
    """Return what feeds a node."""
    match plan:
        case Table() | Windowed() | Shipped() | Totalled() | Constant():
            return ()
        case HashJoin(left, right) | HashAntiJoin(left, right) | HashOuterJoin(left, right):
            return (left, right)
        case Closure(edges, seeds) | BestPaths(edges, seeds) | NearestPaths(edges, seeds):
            return (edges, seeds)
        case Merge(inputs) | Recursive(inputs):
            return inputs
        case Partitioned(child):
            return leaves(child)
        case _:
            return (plan.child,)


def nodes(plan: Physical) -> tuple[Physical, ...]:
    """Return the nodes of a plan, each once, what reads before what is read."""
    found: dict[Physical, None] = {}
    unseen = [plan]
    while unseen:
        node = unseen.pop()
        if node not in found:
            found[node] = None
            unseen += reversed(children(node))
    return tuple(found)


def leaves(plan: Physical) -> tuple[Leaf, ...]:
    """Return the leaves, each once, from left to right."""
    return tuple(node for node in nodes(plan) if isinstance(node, Leaf))


def fragments_in(plan: Physical) -> tuple[Shipped, ...]:
    """Return the leaves that other sites compute."""
    return tuple(leaf for leaf in leaves(plan) if isinstance(leaf, Shipped))
