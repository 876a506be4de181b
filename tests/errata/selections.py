"""Algorithm 3, aggregate selection, as printed, and the Fixpoint behind it."""

from engine.operators.aggsel import AggSel, Selection
from engine.operators.best import best_of
from engine.operators.fixpoint import Fixpoint
from engine.operators.held import Held


class Overwriting(Held):
    def add(self, row, annotation):
        if row in self.rows:
            self.pop(row)
        return super().add(row, annotation)


class Overwrites(AggSel):
    """E12: ``P[tuple] := pv`` forgets the derivations before."""

    def __init__(self, algebra, *rest):
        super().__init__(algebra, *rest)
        self._held = Overwriting(algebra)


class OneRowAGroup(AggSel):
    """E8: ``H[key] := tuple`` overwrites the group."""

    def step(self, change):
        for row in change:
            group = self._groups.get(self._key(row))
            if group is not None:
                group.rows -= group.rows - group.selected - {row}
        return super().step(change)

    def _choose(self, group, candidates):
        super()._choose(group, set(list(candidates)[-1:]) if len(candidates) > 1 else candidates)


class FirstAggregateOnly(AggSel):
    """E13: "B has no such key" is asked within the loop, so that B.2 and on are never set."""

    def __init__(self, algebra, tombstones, group, best):
        super().__init__(algebra, tombstones, group, best[:1])


class SuppressesPerAggregate(AggSel):
    """E14: a row that stops being best by one aggregate goes, though it is best by another."""

    def _choose(self, group, candidates):
        was = set(group.selected)
        before = [self._best_by(each, was) for each in self._best]
        super()._choose(group, candidates)
        after = [self._best_by(each, group.rows | set(candidates)) for each in self._best]
        lost = {row for old, new in zip(before, after, strict=True) for row in old - new}
        group.selected -= lost

    def _best_by(self, each, rows):
        return best_of((each,), rows)


class DropsTheGroup(AggSel):
    """E15: the group is removed where its row must be."""

    def retract(self, dead):
        groups = {self._key(row): self._groups[self._key(row)] for row, _ in self._held}
        before = {key: set(group.rows) for key, group in groups.items()}
        selection = super().retract(dead)
        for key, rows in before.items():
            group = self._groups.get(key)
            if group is not None and group.rows != rows:
                kept = set(selection.inserts) & group.rows
                group.rows, group.selected = kept, group.selected & kept
        return selection


class InsertsNull(AggSel):
    """E16: a group that becomes empty puts a row of nothing out."""

    def retract(self, dead):
        keys = set(self._groups)
        selection = super().retract(dead)
        emptied = keys - set(self._groups)
        one = self._algebra_one
        return Selection(
            {**selection.inserts, **{(*key, None): one for key in emptied}}, selection.suppressed
        )

    def __init__(self, algebra, *rest):
        super().__init__(algebra, *rest)
        self._algebra_one = algebra.one


class KeepsDerivationsBack(AggSel):
    """E17: another derivation of the row that is best already goes no further."""

    def step(self, change):
        known = {row for row, _ in self._held if self._selects(row)}
        selection = super().step(change)
        return Selection(
            {row: a for row, a in selection.inserts.items() if row not in known}, selection.suppressed
        )


class OneOfATie(AggSel):
    """E24: of rows that are equally good one is kept."""

    def _choose(self, group, candidates):
        super()._choose(group, candidates)
        group.selected = set(sorted(group.selected)[:1])


class IgnoresSuppression(Fixpoint):
    """E18: what AggSel takes back is a deletion of the recursive stream, which the Fixpoint ignores."""

    def suppress(self, rows):
        return None
