"""Operators over one restricting algebra, for tests that drive each alone."""

from engine.model.values import Row
from engine.operators.aggsel import AggSel
from engine.operators.budget import Budget
from engine.operators.fixpoint import Fixpoint
from engine.operators.join import RetractableJoin
from engine.operators.ship import MinShip
from engine.operators.tombstones import Tombstones
from engine.plan.logical import Best

PLENTY = Budget(1_000)
R: Row = ("r", 1)
S: Row = ("s", 2)


class Parts:
    """Operators over one algebra and one site's tombstones; ``t`` is the product of some tokens."""

    def __init__(self, algebra):
        self.algebra = algebra
        self.tombstones = Tombstones(algebra)

    def t(self, *tokens):
        product = self.algebra.one
        for token in tokens:
            product = self.algebra.times(product, self.algebra.token(token))
        return product

    def either(self, left, right):
        return self.algebra.plus(left, right)

    def fixpoint(self):
        return Fixpoint(self.algebra, self.tombstones, PLENTY)

    def ship(self, policy):
        return MinShip(self.algebra, self.tombstones, policy)

    def join(self):
        return RetractableJoin(
            self.algebra, lambda row: row[1:], lambda row: row[:1], self.tombstones, PLENTY
        )

    def select(self, *best, group=(0,)):
        return AggSel(self.algebra, self.tombstones, group, tuple(Best(f, p) for f, p in best))
