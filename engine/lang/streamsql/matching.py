"""Outer, semi and anti joins of two plans, from what there is.

L ⟕ R  =  (L ⋈ R) ∪ (L ▷ R, padded with NULLs)        L ⟗ R  =  (L ⟕ R) ∪ (R ▷ L, padded)
L ⋉ R  =  L ⋈ δ(π keys R)

Where the condition is equalities of the two sides, and conditions on R alone, R is met by these keys.
Otherwise the rows of L that meet one are found first, M = L ⋈ R, and whether a row of L is among them is
asked by the columns of L that the condition reads, NULL being the same as NULL.
"""

from dataclasses import dataclass, replace

from engine.lang.streamsql.rows import boxed, fields_of, nulls_of, pairs_of, shifted
from engine.model.relation import Column
from engine.plan.expressions import TRUE, Call, Expr, Field, conjunction, move, positions
from engine.plan.logical import AntiJoin, Distinct, Join, Plan, Project, Select, Union


@dataclass(frozen=True)
class Match:
    """Two plans and a condition on the rows of both, the left one's columns first.

    ``pairs`` is what of the two meets, where that is not simply the condition.
    """

    left: Plan
    right: Plan
    predicates: tuple[Expr, ...] = ()
    pairs: Plan | None = None

    def matched(self) -> Plan:
        return self.pairs or Join((self.left, self.right), self.predicates)

    def swapped(self) -> "Match":
        """Return the same with the sides changed."""
        mine, its = len(self.left.columns), len(self.right.columns)
        predicates = tuple(move(p, lambda i: i + its if i < mine else i - mine) for p in self.predicates)
        pairs = rotated(self.pairs, mine) if self.pairs else None
        return Match(self.right, self.left, predicates, pairs)

    def keys(self) -> "Keys":
        """Return by what a row of the left finds what it meets on the right."""
        found = None if self.pairs else by_equality(self.left, self.right, self.predicates)
        return found or by_columns(self.left, self.read(), self.matched())

    def read(self) -> tuple[Field, ...]:
        """Return the columns on the left that the condition reads."""
        fields = fields_of(self.left)
        if self.pairs:
            return fields
        read = frozenset[int]().union(*map(positions, self.predicates))
        return tuple(field for field in fields if field.position in read)


@dataclass(frozen=True)
class Keys:
    """A row of the left meets something where ``left`` of it is ``right`` of a row of ``plan``."""

    left: tuple[Expr, ...]
    plan: Plan
    right: tuple[Expr, ...]


def by_equality(left: Plan, right: Plan, predicates: tuple[Expr, ...]) -> Keys | None:
    """Return the keys of a condition of equalities and conditions on the right; else decline."""
    width = len(left.columns)
    mine, its, asked = [], [], []
    for predicate in predicates:
        sides = sides_of(predicate, width)
        if sides is not None:
            mine.append(sides[0])
            its.append(shifted(sides[1], -width))
        elif all(position >= width for position in positions(predicate)):
            asked.append(shifted(predicate, -width))
        else:
            return None
    asked = [predicate for predicate in asked if predicate != TRUE]
    return Keys(tuple(mine), Select(right, conjunction(tuple(asked))) if asked else right, tuple(its))


def by_columns(left: Plan, read: tuple[Field, ...], matched: Plan) -> Keys:
    """Return as keys the columns that a condition reads, of the rows that meet something."""
    columns = tuple(left.columns[field.position] for field in read)
    there = Project(matched, read, columns)
    return Keys(boxed(read), there, boxed(fields_of(there)))


def sides_of(predicate: Expr, width: int) -> tuple[Expr, Expr] | None:
    """Return the sides of an equality of something on the left and something on the right."""
    if isinstance(predicate, Call) and predicate.function == "=":
        for mine, its in (predicate.args, predicate.args[::-1]):
            here, there = positions(mine), positions(its)
            if here and there and max(here) < width <= min(there):
                return mine, its
    return None


def left_join(match: Match) -> Plan:
    """L ⟕ R, the columns of both."""
    unmatched = anti_join(match)
    columns = (*match.left.columns, *match.right.columns)
    padded = Project(unmatched, (*fields_of(match.left), *nulls_of(match.right)), columns)
    return Union((match.matched(), padded))


def right_join(match: Match) -> Plan:
    """R ⟕ L, the columns of L first."""
    return rotated(left_join(match.swapped()), len(match.right.columns))


def full_join(match: Match) -> Plan:
    """L ⟗ R."""
    unmatched = anti_join(match.swapped())
    columns = (*match.left.columns, *match.right.columns)
    padded = Project(unmatched, (*nulls_of(match.left), *fields_of(match.right)), columns)
    return Union((left_join(match), padded))


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


def rotated(plan: Plan, width: int) -> Plan:
    """Return the plan with its first columns behind the others."""
    fields, columns = fields_of(plan), plan.columns
    return Project(plan, fields[width:] + fields[:width], columns[width:] + columns[:width])
