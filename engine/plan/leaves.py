"""The leaves of a physical plan: what a site is asked for, and what stands between it and the operators.

A leaf is fed by a fragment, one arm of the tick's Spark pass. What another site computes reaches the
log as a relation of its own, and is a fragment of that.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.model.relation import SENSOR_SITE, Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Expr
from engine.plan.logical import AggregateCall
from engine.plan.render import to_spark
from engine.plan.sharing import node
from engine.plan.windows import Window
from engine.plan.wire import to_wire

if TYPE_CHECKING:
    from engine.plan.physical import Physical

NATURAL, SEMI, BLOOM, AT_BASE = "natural", "semi", "bloom", "base"
GATEWAY_HEAD = (
    Column("gateway", Type.TEXT, nullable=False),
    Column("incarnation", Type.BIGINT, nullable=False),
    Column("sequence", Type.BIGINT, nullable=False),
    Column("settled", Type.BOOLEAN, nullable=False),
)
"""Who says a row, in which life of it, the how-manieth message, and whether its state is complete with it."""
PANE = Column("until", Type.TIMESTAMP)
"""When a pane of time ends, in which rows are totalled; of one that never does NULL."""


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


@node
@dataclass(frozen=True)
class Shipped:
    """What another site computes beside its own data: rows as they come and go.

    Its output is a relation of its own, named by what is computed, so equal fragments are one. The
    gateways say who speaks (``GATEWAY_HEAD``); a database's rows come as they are. ``method`` is how a
    join among devices is carried out: natural, semi, bloom, or at the base station.
    """

    site: str
    plan: "Physical"
    method: str = NATURAL

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.plan.columns

    @cached_property
    def relation(self) -> Relation:
        """What the log calls the rows."""
        head = GATEWAY_HEAD if self.site == SENSOR_SITE else ()
        return Relation(self.name, RelationKind.TABLE, (*head, *numbered(self.columns)), source=self.site)

    @cached_property
    def name(self) -> str:
        """The same for whoever computes the same."""
        text = json.dumps([self.site, self.method, to_wire(self.plan)], sort_keys=True)
        return f"fragment:{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"

    @cached_property
    def fragment(self) -> StreamFragment:
        return StreamFragment(self.name, self.relation.columns)


@dataclass(frozen=True)
class TotalFragment(StreamFragment):
    """The totals that a fragment's rows make of each group in each pane of time, in one tick.

    ``groups`` are positions of ``columns``; a pane is so many microseconds that end at its stamp, all time
    where there is none.
    """

    groups: tuple[int, ...] = ()
    calls: tuple[AggregateCall, ...] = ()
    pane: int | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.relation, self.predicate, self.groups, self.calls, self.pane))

    @cached_property
    def keys(self) -> tuple[Column, ...]:
        return tuple(self.columns[position] for position in self.groups)

    def pane_of(self, at: int) -> int:
        """Return the end of the pane in which something was received."""
        return 0 if self.pane is None else -(-at // self.pane) * self.pane


@node
@dataclass(frozen=True)
class Totalled:
    """A stream's totals by group and pane through a window; the rows themselves never come.

    Its rows are the group, when the pane ends, and ``totals``: a value for each call, to be made whole across
    panes.
    """

    relation: Relation
    window: Window
    fragment: TotalFragment
    totals: tuple[Column, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.fragment.keys, PANE, *self.totals)

    @cached_property
    def name(self) -> str:
        """What a row is called that something stands on; the same for the same totals."""
        text = repr((self.window, self.fragment, self.totals))
        return f"totals:{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"

    @property
    def of_rows(self) -> Windowed:
        """Return the leaf that has the rows."""
        fragment = self.fragment
        return Windowed(
            self.relation,
            self.window,
            StreamFragment(fragment.relation, fragment.columns, fragment.predicate),
        )


Leaf = Table | Windowed | Shipped | Totalled


def numbered(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Name columns by their places: those of a join may have one name."""
    return tuple(Column(f"c{i}", column.type) for i, column in enumerate(columns))
