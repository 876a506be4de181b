"""What stands around the rows of a query: names for its columns, and an order that only a reader sees."""

from dataclasses import replace

from sqlglot import exp

from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.plan.logical import Plan, Project, Top
from engine.plan.rows import fields_of


def unordered(plan: Plan) -> Plan:
    """Return the plan without an order that only a reader would see."""
    match plan:
        case Top(child, _, None, 0):
            return child
        case Project(Top(child, _, None, 0), expressions, columns):
            return Project(child, expressions, columns)
    return plan


def renamed(plan: Plan, alias: exp.Expr | None) -> Plan:
    """Return the plan with its first columns under the names that stand after an alias."""
    names = [name.name.lower() for name in alias.args.get("columns") or ()] if alias else []
    if not names:
        return plan
    if len(names) > len(plan.columns):
        message = f"{len(names)} names for the {len(plan.columns)} columns of {alias.name if alias else ''}"
        raise QueryError(message, span_of(alias))
    names += [column.name for column in plan.columns[len(names) :]]
    columns = tuple(replace(column, name=name) for column, name in zip(plan.columns, names, strict=True))
    return Project(plan, fields_of(plan), columns)
