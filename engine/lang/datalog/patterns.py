"""Records as patterns: what must hold of a value that is taken apart, and its parts.

[x, y]   of v:   v ≠ nil,   x = part(v, 0), y = part(v, 1)
$B(x)    of v:   part(v, 0) = "B",   x = part(v, 1)
"""

from engine.lang.datalog import tree as t
from engine.lang.datalog.safety import is_open, needed
from engine.lang.datalog.terms import equal
from engine.lang.datalog.types import column_type
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import Plan

Parts = list[tuple[Expr, t.Term]]


def computed_in(term: t.Term) -> set[str]:
    """Return the variables that the functors of a pattern need."""
    match term:
        case t.Functor():
            return needed(term)
        case t.Record(args):
            return {name for arg in args for name in computed_in(arg)}
    return set()


def part(value: Expr, position: int, kind: Type) -> Expr:
    return Call("part", (value, Literal(position, Type.BIGINT)), kind)


def is_apart(value: Expr, record: t.Record) -> Expr:
    """Return the condition that a value is such a record."""
    if record.branch:
        return equal(part(value, 0, Type.TEXT), Literal(record.branch, Type.TEXT))
    return Call("<>", (value, Literal((), value.type)), Type.BOOLEAN)


def parts_of(value: Expr, record: t.Record) -> Parts:
    start = 1 if record.branch else 0
    return [
        (part(value, start + i, column_type(kind)), arg)
        for i, (kind, arg) in enumerate(zip(record.kinds, record.args, strict=True))
    ]


def key_parts(plan: Plan, atom: t.Atom) -> tuple[Parts, tuple[Expr, ...]]:
    """Return what of a relation's rows meets which term of a negated atom, and what must hold of them."""
    parts: Parts = []
    conditions: list[Expr] = []
    waiting: Parts = [
        (Field(i, column.type, column.name), arg)
        for i, (column, arg) in enumerate(zip(plan.columns, atom.args, strict=True))
    ]
    for value, term in waiting:
        if isinstance(term, t.Record) and is_open(term):
            conditions.append(is_apart(value, term))
            waiting += parts_of(value, term)
        elif not isinstance(term, t.Wildcard):
            parts.append((value, term))
    return parts, tuple(conditions)
