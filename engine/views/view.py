"""A view: its rows, and the numbers by which a reader knows that it missed nothing.

snapshot at tick t, then deltas:   delta.after = tick of what came before it
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.model.relation import Column
from engine.model.values import Row
from engine.operators.budget import NO_LIMITS, Limits
from engine.operators.delta import Delta as Rows
from engine.operators.delta import tally
from engine.plan.explaining import Turn
from engine.plan.goal import FASTEST, Goal
from engine.plan.logical import Plan, SortKey
from engine.plan.ordering import order_of, place_of
from engine.plan.physical import Physical
from engine.views.nodes import Node, below

UNNAMED = "query_"
MOST_TURNS = 50
"""Changes of its plan that a view keeps, the last ones."""


class Snapshot(NamedTuple):
    """A whole view as of the tick that changed it last; ``order`` is what the rows tell of theirs."""

    view: str
    run: str
    tick: int
    at: int
    columns: tuple[Column, ...]
    rows: tuple[tuple[Row, int], ...]  # in the view's order, where equal rows may stand apart
    order: tuple[SortKey, ...] = ()


class Delta(NamedTuple):
    """What one tick changed in a view; ``after`` is the tick of the view's delta or snapshot before.

    A gap, ``after == tick`` and no changes, says that what came before no longer holds: the view was
    suspended, or is back. A reader takes a new snapshot, or is told why there is none.
    """

    view: str
    run: str
    tick: int
    after: int
    at: int
    changes: tuple[tuple[Row, int], ...]


class Standing(dict[Row, int]):
    """A view's rows, in a class of their own for the sake of the garbage collector.

    It loses sight of a plain dict that holds only rows and takes it up again, as a young object, with
    the next new row, so that it would walk through a wide view at many a tick.
    """

    __slots__ = ()


def as_said(held: Mapping[Row, int], said: Iterable[Row]) -> Iterator[tuple[Row, int]]:
    """Yield what is held as its turn comes, one at a time; a row that nobody says comes last."""
    left = dict(held)
    for row in said:
        if row in left:
            tally(left, {row: -1})
            yield row, 1
    yield from left.items()


class View:
    """A named query and its current rows; ``sql`` is empty where the plan was built by hand."""

    def __init__(
        self,
        name: str,
        sql: str,
        logical: Plan,
        physical: Physical,
        limits: Limits = NO_LIMITS,
        goal: Goal = FASTEST,
    ) -> None:
        self.name = name
        self.sql = sql
        self.logical = logical
        self.physical = physical
        self.limits = limits
        self.goal = goal
        self.node: Node | None = None
        self.nodes: tuple[Node, ...] = ()
        self.most_rows = 0
        self.version = self.changed_at = 0
        self.rows = Standing()
        self._owed: Rows[int] = {}
        self.suspended: str | None = None
        self.suspended_at = 0
        self.turns: deque[Turn] = deque(maxlen=MOST_TURNS)

    @property
    def is_named(self) -> bool:
        """Tell whether the view outlives its readers and the run."""
        return not self.name.startswith(UNNAMED)

    @property
    def called(self) -> str:
        """What its reader knows it by."""
        return f"the view {self.name}" if self.is_named else "the query"

    @property
    def told(self) -> int:
        """How many rows a reader is told: each as often as it is there."""
        return max(len(self.rows), self.node.rows() if self.node else 0)

    @property
    def is_written(self) -> bool:
        """Tell whether the view can be made again from its text."""
        return self.is_named and bool(self.sql)

    @property
    def is_installed(self) -> bool:
        """Tell whether the view comes with the building, its plan built by hand."""
        return self.is_named and not self.sql

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.logical.columns

    def start(self, node: Node, rows: Rows[int], tick: int, at: int) -> None:
        self.node, self.rows, self.suspended = node, Standing(rows), None
        self.version, self.changed_at = tick, at
        self.nodes = below(node)
        self._owed = {}

    def switch(self, physical: Physical, node: Node, owed: Rows[int]) -> None:
        """Go on by another plan; what it has otherwise, ``owed``, is told with the next tick."""
        self.physical, self.node, self.nodes = physical, node, below(node)
        tally(self._owed, owed)

    def due(self, changes: Mapping[Node, Rows[int]]) -> Rows[int]:
        """Return what one tick changes, by the changes of nodes."""
        assert self.node is not None
        change = changes.get(self.node, {})
        if not self._owed:
            return change
        owed, self._owed = self._owed, {}
        tally(owed, change)
        return owed

    def contents(self) -> Rows[int]:
        """Return what its node contains: its rows, with what of them is still to be told."""
        found = dict(self.rows)
        tally(found, self._owed)
        return found

    def suspend(self, reason: str, at: int) -> None:
        """Forget everything but the query, until somebody starts the view again."""
        self.node, self.rows, self.suspended, self.suspended_at = None, Standing(), reason, at
        self.nodes, self._owed = (), {}

    def apply(self, change: Rows[int], run: str, tick: int, at: int) -> Delta:
        """Take a tick's change in and return it as readers get it."""
        tally(self.rows, change)
        delta = Delta(self.name, run, tick, self.version, at, tuple(change.items()))
        self.version, self.changed_at = tick, at
        return delta

    def gap(self, run: str, tick: int, at: int) -> Delta:
        return Delta(self.name, run, tick, tick, at, ())

    def snapshot(self, run: str, said: Sequence[Row] = ()) -> Snapshot:
        """Return the rows in their order: the one ``said``, or where nothing is, that which they tell."""
        order = order_of(self.logical)
        rows = tuple(as_said(self.rows, said) if said else self._in_order(order))
        return Snapshot(self.name, run, self.version, self.changed_at, self.columns, rows, order or ())

    def _in_order(self, order: Sequence[SortKey] | None) -> Iterable[tuple[Row, int]]:
        if order is None:
            return self.rows.items()
        place = place_of(order)
        return sorted(self.rows.items(), key=lambda counted: place(counted[0]))
