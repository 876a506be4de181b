"""UNION [ALL], EXCEPT and INTERSECT.

A UNION ALL B  =  A + B              A EXCEPT B     =  δ(A ▷ B)
A UNION B      =  δ(A + B)           A INTERSECT B  =  δ(A) ⋈ δ(B), the columns of A

Two rows are the same where each column is, NULL being the same as NULL: the keys are boxed. EXCEPT ALL
and INTERSECT ALL would subtract bags, for which there is no operator.
"""

from typing import TYPE_CHECKING

from sqlglot import exp

from engine.lang.streamsql.scalars.literals import UNTYPED_NULL, converted
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Expr
from engine.plan.logical import AntiJoin, Distinct, Join, Plan, Project, Select, Union
from engine.plan.rows import boxed, fields_of, pairs_of

if TYPE_CHECKING:
    from engine.lang.streamsql.query.select import SelectBinder


def bind_set_operation(binder: "SelectBinder", node: exp.SetOperation) -> Plan:
    """Return the plan of a set operation; a chain of them, which leans left, link by link."""
    chain = [node]
    while isinstance(chain[-1].this, exp.SetOperation) and not chain[-1].this.args.get("with_"):
        chain.append(chain[-1].this)
    plan = binder.bind(chain[-1].this)
    for link in reversed(chain):
        plan = combined(link, *unified_branches(link, plan, binder.bind(link.expression)))
    return plan


def combined(node: exp.SetOperation, left: Plan, right: Plan) -> Plan:
    """Return what a set operation says of two inputs of the same columns."""
    is_all = node.args.get("distinct") is False
    if isinstance(node, exp.Union):
        inputs = (*left.inputs, right) if isinstance(left, Union) else (left, right)
        return Union(inputs) if is_all else Distinct(Union(inputs))
    if is_all:
        word = node.key.upper()
        message = f"{word} ALL is not part of StreamSQL; {word} takes each row once"
        raise QueryError(message, span_of(node))
    if isinstance(node, exp.Except):
        return Distinct(AntiJoin(left, right, boxed(fields_of(left)), boxed(fields_of(right))))
    once = Distinct(left), Distinct(right)
    met = Join(once, pairs_of(boxed(fields_of(left)), boxed(fields_of(right, len(left.columns)))))
    return Project(met, fields_of(left), left.columns)


def unified_branches(node: exp.SetOperation, left: Plan, right: Plan) -> tuple[Plan, Plan]:
    """Bring the columns of two branches to common types."""
    word = node.key.upper()
    if len(left.columns) != len(right.columns):
        counts = f"{len(left.columns)} and {len(right.columns)}"
        message = f"the queries of a {word} must have the same number of columns, found {counts}"
        raise QueryError(message, span_of(node.expression))
    types = []
    nulls = untyped(left), untyped(right)
    for i, columns in enumerate(zip(left.columns, right.columns, strict=True)):
        common = common_type(*(None if i in n else c.type for c, n in zip(columns, nulls, strict=True)))
        if common is None:
            mine, other = columns
            message = (
                f"column {i + 1} of a {word} is {mine.name} {mine.type} in the first query and "
                f"{other.name} {other.type} in the next; CAST one of them"
            )
            raise QueryError(message, span_of(node.expression))
        types.append(common)
    return retyped(left, types, nulls[0]), retyped(right, types, nulls[1])


def common_type(left: Type | None, right: Type | None) -> Type | None:
    """Return the type that two columns come to; None of a column is that of bare NULLs."""
    known = {each for each in (left, right) if each is not None}
    if known == {Type.BIGINT, Type.DOUBLE}:
        return Type.DOUBLE
    return next(iter(known), Type.TEXT) if len(known) < 2 else None


def retyped(plan: Plan, types: list[Type], nulls: frozenset[int]) -> Plan:
    """Return the plan with its columns as these types."""
    if all(column.type is wanted for column, wanted in zip(plan.columns, types, strict=True)):
        return plan
    expressions: list[Expr] = []
    for i, (field, wanted) in enumerate(zip(fields_of(plan), types, strict=True)):
        expressions.append(converted(UNTYPED_NULL if i in nulls else field, wanted) or field)
    columns = (Column(column.name, wanted) for column, wanted in zip(plan.columns, types, strict=True))
    return Project(plan, tuple(expressions), tuple(columns))


def untyped(plan: Plan) -> frozenset[int]:
    """Return the columns in which nothing but the bare word NULL stands."""
    match plan:
        case Project(_, expressions, _):
            return frozenset(i for i, expression in enumerate(expressions) if expression == UNTYPED_NULL)
        case Union(inputs):
            return frozenset.intersection(*map(untyped, inputs))
        case Select(child) | Distinct(child) | AntiJoin(child):
            return untyped(child)
    return frozenset()
