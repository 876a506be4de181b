"""What travels: deletions, tombstones, variables and MinShip, as printed or as it must be read."""

from engine.network.network import Network
from engine.network.site import Site
from engine.operators.ship import MinShip
from engine.operators.tombstones import Tombstones
from engine.provenance.absorption import Absorption
from engine.provenance.tokens import Incarnations, Origin


class TellsNobody(Network):
    """E2: deletions of the recursive stream are ignored, so only the base row's own site hears of them."""

    def _bury(self, address, dead):
        self._dispatch(address, self.sites[address].retract(dead))


class NoTombstones(Tombstones):
    """E3: what is in flight is not cleaned."""

    def clean(self, change):
        return change


class SameVariableAgain(Incarnations):
    """E4: a row that is inserted again gets the variable it had."""

    def __init__(self):
        super().__init__()
        self._had = {}

    def fresh(self, relation, row):
        token = self._had.setdefault((relation, row), len(self._had) + 1)
        self._origins[token] = Origin(relation, row)
        self.dead.discard(token)
        return token


class AndNot(Absorption):
    """E5: a deletion conjoins the negation where it must restrict."""

    def retract(self, annotation, dead):
        for token in dead:
            annotation = annotation & ~self.token(token)
        return annotation

    def recycle(self, tokens):
        """A negated variable stays in what was restricted by it, so that it cannot be freed."""


class DeletesConjunctions(Site):
    """E6: a deletion leaves the join as a conjunction, and all its variables are restricted."""

    def retract(self, dead):
        joined = set(dead)
        for join in self._retractable:
            for (index, key_of, dependents), (others, _, _) in zip(
                join._sides, join._sides[::-1], strict=True
            ):
                for row in dependents.of(dead):
                    for annotation in others.get(key_of(row), {}).values() if index else ():
                        joined.update(self.algebra.support(annotation))
        return super().retract(joined)


class KeepsBack(MinShip):
    """E11: nothing is released when the derivation that was sent dies."""

    def retract(self, dead):
        released = super().retract(dead)
        for row, annotation in released.items():
            self._waiting.add(row, annotation)
        return {}
