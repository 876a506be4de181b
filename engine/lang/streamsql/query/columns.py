"""The columns that SELECT lists: each with its name, a star as what it stands for."""

from itertools import chain, count

from sqlglot import exp

from engine.lang.streamsql.grammar.nodes import GivenNode
from engine.lang.streamsql.query.scope import Scope
from engine.lang.streamsql.scalars.aggregates import called
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.plan.expressions import Expr
from engine.plan.logical import Plan, Project

Item = tuple[str, exp.Expr | Expr]
MOST_COLUMNS = 500


def items_of(node: exp.Select, scope: Scope) -> list[Item]:
    """Return what SELECT lists; of a star, what it stands for."""
    items: list[Item] = []
    for item in node.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        if isinstance(inner, exp.Star):
            items += scope.star("", inner)
        elif isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
            items += scope.star(inner.table.lower(), inner)
        else:
            items.append((name_of(item).lower(), inner))
    if not items:
        message = "a query needs columns: SELECT columns FROM relation"
        raise QueryError(message, span_of(node))
    if len(items) > MOST_COLUMNS:
        message = f"{len(items)} columns in SELECT, {MOST_COLUMNS} can be"
        raise QueryError(message, span_of(node))
    return items


def name_of(item: exp.Expr) -> str:
    """Return the name of a column: its alias, or what it is made by, if that has a name."""
    while isinstance(item, exp.Paren | exp.Cast | exp.Bracket):
        item = item.this
    match item:
        case GivenNode():
            return item.name
        case exp.Alias() | exp.Column():
            return item.alias_or_name
        case exp.Subquery(this=exp.Select(expressions=[only])):
            return name_of(only)
        case exp.Exists():
            return called(item)
        case exp.Binary() | exp.Unary() | exp.Predicate() | exp.Literal() | exp.Boolean() | exp.Null():
            return "column"
    return "position" if isinstance(item, exp.StrPosition) else called(item)


def projection(child: Plan, names: list[str], expressions: list[Expr]) -> Project:
    """Return the projection; a name that stands twice gets a number."""
    columns: dict[str, Column] = {}
    for name, expression in zip(names, expressions, strict=True):
        numbered = (f"{name}_{number}" for number in count(2))
        free = next(each for each in chain([name], numbered) if each not in columns)
        columns[free] = Column(free, expression.type)
    return Project(child, tuple(expressions), tuple(columns.values()))
