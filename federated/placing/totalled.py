"""Totals made in the stream site's pass, where rows are so many that only what they amount to should come.

    γ g, count(*), sum(n) (R [RANGE r SLIDE s])
        =   γ g, sum(c), sum(t) (Σ over the panes of  γ g, pane, count(*) as c, sum(n) as t (R))

A pane is gcd(r, s) long; an unbounded window is one. Not where rows say when they happened, nor where all of
the stream is kept anyway. Sums are carried beyond 64 bits: only the whole has to fit.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from math import gcd

from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.plan.aggregates import changed
from engine.plan.expressions import Call, Expr, Field, Literal, substitute
from engine.plan.leaves import TotalFragment, Totalled, Windowed
from engine.plan.logical import AggregateCall
from engine.plan.physical import GroupBy, Map, Physical, children, leaves
from engine.plan.windows import Range, Unbounded, Window
from engine.views.checkpoint import leaf_name
from federated.estimating.statistics import Observed, Statistics

GROUPED_BY = {Type.TEXT, Type.BIGINT, Type.BOOLEAN, Type.TIMESTAMP}
AGAIN = {"count": "sum", "sum": "sum", "min": "min", "max": "max"}
TAKES = {"sum": {Type.BIGINT}, "min": {Type.BIGINT, Type.TIMESTAMP}, "max": {Type.BIGINT, Type.TIMESTAMP}}
WORTH_IT = 10_000
"""Rows a tick from which the pass makes totals at less than rows cost (``make bench-partials``)."""


def worth_it(rows_a_tick: float) -> bool:
    """Tell whether totals are to come instead of so many rows."""
    return rows_a_tick >= WORTH_IT


@dataclass(frozen=True)
class Totalling:
    """Chooses totals where many rows were seen to come that no view needs, or where they run.

    ``readers`` are the plans that run, ``spared`` the one that is to run no more; ``held`` names the leaves
    of a snapshot.
    """

    statistics: Statistics
    readers: Callable[[], Iterable[Physical]]
    held: Collection[str] = ()
    spared: Physical | None = None

    def of(self, plan: GroupBy) -> Physical:
        found = maybe_totalled(plan)
        return found if found is not None and self._is_chosen(found) else plan

    def gains(self, plan: Physical) -> bool:
        """Tell whether anything in a plan that runs would be made of totals by now."""
        return (isinstance(plan, GroupBy) and self.of(plan) != plan) or any(map(self.gains, children(plan)))

    def _is_chosen(self, found: GroupBy | Map) -> bool:
        (leaf,) = leaves(found)
        assert isinstance(leaf, Totalled)
        runs = leaf_name(leaf) in self.held or any(leaf in leaves(plan) for plan in self.readers())
        return runs or (self._is_busy(leaf.of_rows) and self._is_free(leaf))

    def _is_busy(self, leaf: Windowed) -> bool:
        seen = self.statistics.known(leaf)
        return seen is not None and worth_it(come(seen))

    def _is_free(self, leaf: Totalled) -> bool:
        """Tell whether no other running view takes rows of the stream."""
        others = [plan for plan in self.readers() if plan != self.spared]
        return not any(takes_rows(plan, leaf.relation.name) for plan in others)


def come(seen: Observed) -> float:
    """Return how many rows come in a tick; as many leave a window as come, if it has an end."""
    return (seen.change or 0.0) / 2


def takes_rows(plan: Physical, relation: str) -> bool:
    return any(isinstance(leaf, Windowed) and leaf.relation.name == relation for leaf in leaves(plan))


def maybe_totalled(plan: GroupBy) -> GroupBy | Map | None:
    """Return the same totals made of what the pass makes, if it can."""
    flat = _flat(plan)
    if flat is None or not isinstance(flat.child, Windowed):
        return None
    leaf = flat.child
    if not _can_total(leaf) or not all(map(_can_group, flat.groups)) or not all(map(_can_add, flat.calls)):
        return None
    rows = leaf.fragment
    groups = tuple(group.position for group in flat.groups if isinstance(group, Field))
    fragment = TotalFragment(
        rows.relation, rows.columns, rows.predicate, groups, flat.calls, pane(leaf.window)
    )
    totals = Totalled(leaf.relation, leaf.window, fragment, plan.columns[len(groups) :])
    return _whole(totals, plan)


def _flat(plan: GroupBy) -> GroupBy | None:
    """Read the columns of a leaf where they are, without the projection between."""
    if not isinstance(plan.child, Map):
        return plan
    below = plan.child.expressions
    groups = tuple(substitute(group, below) for group in plan.groups)
    calls = tuple(changed(call, lambda each: substitute(each, below)) for call in plan.calls)
    return GroupBy(plan.child.child, groups, calls, plan.columns)


def _can_total(leaf: Windowed) -> bool:
    relation = leaf.relation
    is_plain = relation.event_time is None and relation.window is None and leaf.sample is None
    return is_plain and relation.kind is RelationKind.STREAM and relation.comes_by_itself and _has_panes(leaf)


def _has_panes(leaf: Windowed) -> bool:
    window = leaf.window
    is_stepped = isinstance(window, Range) and window.slide is not None and not leaf.relation.lateness
    return is_stepped or isinstance(window, Unbounded)


def _can_group(group: Expr) -> bool:
    return isinstance(group, Field) and group.type in GROUPED_BY


def _can_add(call: AggregateCall) -> bool:
    if call.function not in AGAIN or call.distinct or call.order:
        return False
    if call.argument is None or call.function == "count":
        return call.argument is None or isinstance(call.argument, Field)
    return isinstance(call.argument, Field) and call.argument.type in TAKES[call.function]


def pane(window: Window) -> int | None:
    """Return how long a pane of a window is."""
    return gcd(window.microseconds, window.slide or 0) if isinstance(window, Range) else None


def _whole(leaf: Totalled, plan: GroupBy) -> GroupBy | Map:
    """Return the totals of all panes; of no row at all a count is 0, a sum of counts would be NULL."""
    fields = tuple(Field(i, column.type, column.name) for i, column in enumerate(leaf.columns))
    width = len(plan.groups)
    parts = zip(plan.calls, fields[width + 1 :], strict=True)
    again = tuple(AggregateCall(AGAIN[call.function], part) for call, part in parts)
    whole = GroupBy(leaf, fields[:width], again, plan.columns)
    if width or not any(call.function == "count" for call in plan.calls):
        return whole
    each = zip(plan.calls, plan.columns, strict=True)
    totals = [(call.function, Field(i, column.type, column.name)) for i, (call, column) in enumerate(each)]
    return Map(whole, tuple(_or_none(*total) for total in totals), plan.columns)


def _or_none(function: str, total: Field) -> Expr:
    if function != "count":
        return total
    return Call("coalesce", (total, Literal(0, Type.BIGINT)), Type.BIGINT)
