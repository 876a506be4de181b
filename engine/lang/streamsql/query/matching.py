"""Outer, semi and anti joins of two plans.

L ⟕ R  and  L ⟗ R  are nodes of their own          L ⋉ R  =  L ⋈ δ(π keys R)          L ▷ R by keys

By what a row of L finds what it meets is told by ``engine.plan.meeting``. Where a condition has queries in
it the pairs are a plan of their own, and the outer join is the union of these with what is padded.
"""

from dataclasses import dataclass, replace

from engine.model.relation import Column
from engine.plan.expressions import Expr, positions
from engine.plan.logical import AntiJoin, Distinct, Plan, Project, Union
from engine.plan.meeting import Keys, by_columns, keys_of, swapped
from engine.plan.outer_join import OuterJoin
from engine.plan.rows import fields_of, nulls_of, pairs_of, rotated


@dataclass(frozen=True)
class Match:
    """Two plans and a condition on the rows of both, the left one's columns first.

    ``pairs`` is what of the two meets, where that is not simply the condition.
    """

    left: Plan
    right: Plan
    predicates: tuple[Expr, ...] = ()
    pairs: Plan | None = None

    def swapped(self) -> "Match":
        """Return the same with the sides changed."""
        mine, its = len(self.left.columns), len(self.right.columns)
        predicates = tuple(swapped(predicate, mine, its) for predicate in self.predicates)
        pairs = rotated(self.pairs, mine) if self.pairs else None
        return Match(self.right, self.left, predicates, pairs)

    def keys(self) -> Keys:
        """Return by what a row of the left finds what it meets on the right."""
        if self.pairs:
            return by_columns(self.left, fields_of(self.left), self.pairs)
        return keys_of(self.left, self.right, self.predicates)


def left_join(match: Match) -> Plan:
    """L ⟕ R, the columns of both."""
    if match.pairs is None:
        return OuterJoin(match.left, match.right, match.predicates)
    return Union((match.pairs, padded(match)))


def right_join(match: Match) -> Plan:
    """R ⟕ L, the columns of L first."""
    return rotated(left_join(match.swapped()), len(match.right.columns))


def full_join(match: Match) -> Plan:
    """L ⟗ R."""
    if match.pairs is None:
        return OuterJoin(match.left, match.right, match.predicates, keeps_right=True)
    return Union((match.pairs, padded(match), rotated(padded(match.swapped()), len(match.right.columns))))


def padded(match: Match) -> Plan:
    """Return the rows of L that meet nothing, with NULLs for the columns of R."""
    columns = (*match.left.columns, *match.right.columns)
    return Project(anti_join(match), (*fields_of(match.left), *nulls_of(match.right)), columns)


def anti_join(match: Match) -> Plan:
    """L ▷ R, the columns of L."""
    keys = match.keys()
    return AntiJoin(match.left, keys.plan, keys.left, keys.right)


def semi_join(match: Match) -> tuple[Plan, tuple[Expr, ...]]:
    """What to join L with, each key once, and the condition: no row of L meets it twice."""
    width = len(match.left.columns)
    own = tuple(p for p in match.predicates if positions(p) and max(positions(p)) < width)
    rest = tuple(p for p in match.predicates if p not in own)
    keys = replace(match, predicates=rest).keys()
    columns = tuple(Column(f"key_{i}", key.type) for i, key in enumerate(keys.right))
    there = Distinct(Project(keys.plan, keys.right, columns))
    return there, (*own, *pairs_of(keys.left, fields_of(there, width)))
