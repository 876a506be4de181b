"""The leaves of a physical plan: what a site is asked for, and what stands between it and the operators.

A leaf is fed by a fragment, one arm of the tick's Spark pass.
"""

from dataclasses import dataclass
from functools import cached_property

from engine.model.relation import Column, Relation
from engine.plan.expressions import Expr
from engine.plan.render import to_spark
from engine.plan.sharing import node
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


@node
@dataclass(frozen=True)
class Table:
    """A table as it stands: a base operator fed by a fragment."""

    relation: Relation
    fragment: StreamFragment

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns


@node
@dataclass(frozen=True)
class Windowed:
    """A stream, or a sample of it, through a window, fed by a fragment."""

    relation: Relation
    window: Window
    fragment: StreamFragment
    sample: int | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns
