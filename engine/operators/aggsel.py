"""Aggregate selection: of each group the rows that are best in one aggregate at least, ties included.

    sel(g)  =  best(H(g))                       ``engine.operators.best``
    arrival, deletion  →  insert sel' - sel, with all they are known by;   then suppress sel - sel'

What is not selected is held, because the best may die. A suppressed row is not a deleted one: no
token dies, and what was derived from it stays true and dominated. Only min and max may stand within
recursion: a count or a sum has no better row.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, algorithm 3, which keeps one row of a tie and drops groups with a row.
    Sudarshan, Ramakrishnan. Aggregation and Relevance in Deductive Databases. VLDB 1991.
"""

from collections.abc import Collection, Iterator
from typing import Generic, NamedTuple, TypeVar

from engine.model.values import Row
from engine.operators.best import best_of
from engine.operators.delta import Delta
from engine.operators.held import Held
from engine.operators.tombstones import Tombstones
from engine.plan.logical import Best
from engine.provenance.algebra import Restricting, Token

A = TypeVar("A")


class Selection(NamedTuple, Generic[A]):
    """What a change makes of the selected rows; inserts come before what they replace goes."""

    inserts: Delta[A]
    suppressed: frozenset[Row]


class Group:
    """The rows of a group, and those of them that are best."""

    __slots__ = ("rows", "selected")

    def __init__(self) -> None:
        self.rows: set[Row] = set()
        self.selected: set[Row] = set()


class AggSel(Generic[A]):
    """Selects by one aggregate or several at once."""

    def __init__(
        self,
        algebra: Restricting[A],
        tombstones: Tombstones[A],
        group: tuple[int, ...],
        best: tuple[Best, ...],
    ) -> None:
        self._tombstones = tombstones
        self._group = group
        self._best = best
        self._held = Held(algebra)
        self._groups: dict[Row, Group] = {}

    def step(self, change: Delta[A]) -> Selection[A]:
        fresh = {row: a for row, a in self._tombstones.clean(change).items() if self._held.add(row, a)}
        touched: dict[Row, set[Row]] = {}
        for row in fresh:
            key = self._key(row)
            group = self._groups.setdefault(key, Group())
            touched.setdefault(key, set(group.selected))
            if row not in group.rows:
                group.rows.add(row)
                self._choose(group, {*group.selected, row})
        selection = self._difference(touched)
        known = {row: a for row, a in fresh.items() if row in touched[self._key(row)] and self._selects(row)}
        return Selection({**known, **selection.inserts}, selection.suppressed)

    def retract(self, dead: Collection[Token]) -> Selection[A]:
        self._tombstones.bury(dead)
        touched: dict[Row, set[Row]] = {}
        for row in self._held.retract(dead):
            key = self._key(row)
            group = self._groups[key]
            touched.setdefault(key, set(group.selected))
            group.rows.discard(row)
        for key, selected in touched.items():
            group = self._groups[key]
            if not selected <= group.rows:
                self._choose(group, group.rows)
        selection = self._difference(touched)
        for key in touched:
            if not self._groups[key].rows:
                del self._groups[key]
        return selection

    def held(self) -> Iterator[tuple[Row, A]]:
        return iter(self._held)

    def _key(self, row: Row) -> Row:
        return tuple([row[i] for i in self._group])

    def _selects(self, row: Row) -> bool:
        return row in self._groups[self._key(row)].selected

    def _choose(self, group: Group, candidates: Collection[Row]) -> None:
        """Select among rows of which every best row is one."""
        group.selected = best_of(self._best, candidates)

    def _difference(self, touched: dict[Row, set[Row]]) -> Selection[A]:
        inserts: Delta[A] = {}
        suppressed: set[Row] = set()
        for key, before in touched.items():
            after = self._groups[key].selected
            inserts.update((row, self._held.rows[row]) for row in after - before)
            suppressed |= {row for row in before - after if row in self._held}
        return Selection(inserts, frozenset(suppressed))
