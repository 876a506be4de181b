"""The physical plan: which operators run, over what each site is asked for.

A leaf is a fragment that a site runs (``StreamFragment``: one arm of the tick's Spark pass). What
stands above a leaf runs in the operators. Nodes are frozen values, so equal sub-plans of different
views are one operator.
"""

from dataclasses import dataclass
from functools import cached_property

from engine.model.relation import Column, Relation
from engine.plan.expressions import Expr
from engine.plan.logical import AggregateCall
from engine.plan.render import to_spark
from engine.plan.windows import Window


@dataclass(frozen=True)
class StreamFragment:
    """The rows of a base relation that satisfy a predicate, of those that have one.

    Equal fragments are one: the stream site runs each once per tick.
    """

    relation: str
    columns: tuple[Column, ...]
    predicate: Expr | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Asked for once a leaf and tick; the parts are deep."""
        return hash((self.relation, self.columns, self.predicate))

    @cached_property
    def where(self) -> str | None:
        """The predicate as Spark SQL over the lanes of ``columns``."""
        return None if self.predicate is None else to_spark(self.predicate, self.columns)


@dataclass(frozen=True)
class Table:
    """A table as it stands: a base operator fed by a fragment."""

    relation: Relation
    fragment: StreamFragment

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns


@dataclass(frozen=True)
class Windowed:
    """A stream through a window, fed by a fragment."""

    relation: Relation
    window: Window
    fragment: StreamFragment

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns


@dataclass(frozen=True)
class Filter:
    """Selection."""

    child: "Physical"
    predicate: Expr

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


@dataclass(frozen=True)
class Map:
    """Projection."""

    child: "Physical"
    expressions: tuple[Expr, ...]
    columns: tuple[Column, ...]


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


@dataclass(frozen=True)
class GroupBy:
    """Group aggregate; without groups there is always one row."""

    child: "Physical"
    groups: tuple[Expr, ...]
    calls: tuple[AggregateCall, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Unique:
    """Duplicate elimination."""

    child: "Physical"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


Leaf = Table | Windowed
Physical = Leaf | Filter | Map | HashJoin | GroupBy | Unique


def children(plan: Physical) -> tuple[Physical, ...]:
    """Return what feeds a node."""
    match plan:
        case Table() | Windowed():
            return ()
        case HashJoin(left, right):
            return (left, right)
        case _:
            return (plan.child,)


def leaves(plan: Physical) -> tuple[Leaf, ...]:
    """Return the leaves, from left to right."""
    if isinstance(plan, Table | Windowed):
        return (plan,)
    return tuple(leaf for child in children(plan) for leaf in leaves(child))
