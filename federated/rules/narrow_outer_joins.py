"""Narrow an outer join to what the selection above it leaves of it.

    σp(A ⟕ B)  →  σp(A ⋈ B)        where p is never true of NULLs for all of B
    σp(A ⟗ B)  →  σp(A ⟕ B)        where p is never true of NULLs for all of A

That p is never true of them is found by asking: a condition that reads one side alone is evaluated over
NULLs, and a comparison of something of that side that is NULL then is not true. Whatever else is kept.

References:
    Galindo-Legaria, Rosenthal. Outerjoin Simplification and Reordering for Query Optimization. ACM
    Transactions on Database Systems 1997.
"""

from collections.abc import Iterable
from dataclasses import replace

from engine.plan.blocks import COMPARISONS
from engine.plan.expressions import Call, Expr, compiled, positions
from engine.plan.logical import Join, Plan
from engine.plan.meeting import swapped
from engine.plan.outer_join import OuterJoin
from engine.plan.rows import rotated


def maybe_inner(plan: OuterJoin, predicates: Iterable[Expr]) -> Plan:
    """Return the narrowest join of which a selection leaves the same."""
    asked = tuple(predicates)
    mine, its = len(plan.left.columns), len(plan.right.columns)
    left, right = range(mine), range(mine, mine + its)
    needs_right = any(refuses_nulls(predicate, right) for predicate in asked)
    needs_left = not plan.keeps_right or any(refuses_nulls(predicate, left) for predicate in asked)
    if needs_left and needs_right:
        return Join((plan.left, plan.right), plan.predicates)
    if needs_right:
        turned = tuple(swapped(predicate, mine, its) for predicate in plan.predicates)
        return rotated(OuterJoin(plan.right, plan.left, turned), its)
    return replace(plan, keeps_right=False) if needs_left else plan


def refuses_nulls(predicate: Expr, side: range) -> bool:
    """Tell whether a condition is never true where all columns of a side are NULL."""
    if is_of(predicate, side):
        return over_nulls(predicate, side) is not True
    if isinstance(predicate, Call) and predicate.function in COMPARISONS:
        return any(is_of(arg, side) and over_nulls(arg, side) is None for arg in predicate.args)
    return False


def is_of(expression: Expr, side: range) -> bool:
    """Tell whether an expression reads one side and nothing else."""
    read = positions(expression)
    return bool(read) and all(position in side for position in read)


def over_nulls(expression: Expr, side: range) -> object:
    return compiled(expression)((None,) * side.stop)
