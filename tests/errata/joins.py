"""Algorithm 2, the pipelined hash join, as printed."""

from engine.operators.join import RetractableJoin


class NeverInformed(RetractableJoin):
    """E1: a Fixpoint puts nothing out on a deletion, so the join behind it keeps the dead row."""

    def retract(self, dead):
        self._tombstones.bury(dead)
        return {}


class InformedOfDeathsOnly(RetractableJoin):
    """E7: the join hears of a row only when it is underivable, and keeps the old annotation until then."""

    def _restrict(self, index, key, row, dead, dependents):
        rest = self._restricting.retract(index.get(key, {}).get(row, self._restricting.zero), dead)
        if self._restricting.is_zero(rest):
            super()._restrict(index, key, row, dead, dependents)


class OneRowAKey(RetractableJoin):
    """E8: ``h[key] := tuple`` overwrites what the key had."""

    def _insert(self, index, key, row, annotation):
        index[key] = {known: held for known, held in index.get(key, {}).items() if known == row}
        super()._insert(index, key, row, annotation)


class KnownByKey(RetractableJoin):
    """E9: whether a row is known is looked up under its key, so that it never is and P is overwritten."""

    def _insert(self, index, key, row, annotation):
        index.get(key, {}).pop(row, None)
        super()._insert(index, key, row, annotation)


class OneSideExpires(RetractableJoin):
    """E10: the loop over expired rows handles one side."""

    def retract(self, dead):
        self._tombstones.bury(dead)
        index, key_of, dependents = self._sides[0]
        for row in dependents.pop(dead):
            self._restrict(index, key_of(row), row, dead, dependents)
        return {}
