"""By what the rows of one plan find those of another that they meet, and joins that rest on it.

a condition of equalities, and of conditions on R alone    →  R by these keys
any other                                                  →  M = L ⋈ R, by the columns of L that are read

The columns of L are asked for as boxes, NULL being the same as NULL.
"""

from dataclasses import dataclass

from engine.plan.expressions import TRUE, Expr, Field, conjunction, move, positions
from engine.plan.logical import AntiJoin, Join, Plan, Project, Select, Union
from engine.plan.outer_join import OuterJoin, parted
from engine.plan.rows import boxed, fields_of, nulls_of, shifted


@dataclass(frozen=True)
class Keys:
    """A row of the left meets something where ``left`` of it is ``right`` of a row of ``plan``."""

    left: tuple[Expr, ...]
    plan: Plan
    right: tuple[Expr, ...]


def keys_of(left: Plan, right: Plan, predicates: tuple[Expr, ...]) -> Keys:
    """Return by what a row of the left finds what it meets on the right."""
    matched = Join((left, right), predicates)
    return by_equality(left, right, predicates) or by_columns(left, read_of(left, predicates), matched)


def by_equality(left: Plan, right: Plan, predicates: tuple[Expr, ...]) -> Keys | None:
    """Return the keys of a condition of equalities and conditions on the right; else decline."""
    width = len(left.columns)
    mine, its, rest = parted(predicates, width)
    if any(position < width for predicate in rest for position in positions(predicate)):
        return None
    asked = tuple(shifted(predicate, -width) for predicate in rest if predicate != TRUE)
    return Keys(mine, Select(right, conjunction(asked)) if asked else right, its)


def by_columns(left: Plan, read: tuple[Field, ...], matched: Plan) -> Keys:
    """Return as keys the columns that a condition reads, of the rows that meet something."""
    columns = tuple(left.columns[field.position] for field in read)
    there = Project(matched, read, columns)
    return Keys(boxed(read), there, boxed(fields_of(there)))


def read_of(left: Plan, predicates: tuple[Expr, ...]) -> tuple[Field, ...]:
    """Return the columns on the left that a condition reads."""
    read = frozenset[int]().union(*map(positions, predicates))
    return tuple(field for field in fields_of(left) if field.position in read)


def expanded(outer: OuterJoin) -> Plan:
    """Return an outer join as the union that it is, for whoever reads conjunctions; its sides stand twice."""
    left, right, predicates = outer.left, outer.right, outer.predicates
    columns = outer.columns
    keys = keys_of(left, right, predicates)
    unmatched = AntiJoin(left, keys.plan, keys.left, keys.right)
    padded = Project(unmatched, (*fields_of(left), *nulls_of(right)), columns)
    inputs: tuple[Plan, ...] = (Join((left, right), predicates), padded)
    return Union((*inputs, _of_right(outer))) if outer.keeps_right else Union(inputs)


def _of_right(outer: OuterJoin) -> Plan:
    """Return the rows of the right that meet nothing, padded."""
    mine, its = len(outer.left.columns), len(outer.right.columns)
    predicates = tuple(swapped(predicate, mine, its) for predicate in outer.predicates)
    keys = keys_of(outer.right, outer.left, predicates)
    unmatched = AntiJoin(outer.right, keys.plan, keys.left, keys.right)
    return Project(unmatched, (*nulls_of(outer.left), *fields_of(outer.right)), outer.columns)


def swapped(predicate: Expr, mine: int, its: int) -> Expr:
    """Return a condition on rows whose first ``mine`` columns stand behind the other ``its``."""
    return move(predicate, lambda i: i + its if i < mine else i - mine)
