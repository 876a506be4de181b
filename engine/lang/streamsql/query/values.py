"""Rows that a text says itself: VALUES, and the one row, of no columns, that SELECT without FROM is over."""

from sqlglot import exp

from engine.lang.streamsql.query.setops import common_type
from engine.lang.streamsql.scalars.literals import UNTYPED_NULL, converted
from engine.lang.streamsql.scalars.scalar import ScalarBinder
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.plan.constant import Constant
from engine.plan.expressions import Expr, compiled

ONE_ROW = Constant(((),), ())


def bind_values(node: exp.Values) -> Constant:
    """Return the rows, their columns brought to common types."""
    scalars = ScalarBinder(lambda _: None, "values")
    rows = [[scalars.bind(value) for value in parts_of(row)] for row in node.expressions]
    if len({len(row) for row in rows}) != 1:
        message = "the rows of VALUES must have the same number of columns"
        raise QueryError(message, span_of(node))
    types = [column_type(list(column), i, node) for i, column in enumerate(zip(*rows, strict=True), 1)]
    columns = tuple(Column(f"column{i}", kind) for i, kind in enumerate(types, 1))
    return Constant(tuple(constants(row, types) for row in rows), columns)


def parts_of(row: exp.Expr) -> list[exp.Expr]:
    return (
        row.expressions if isinstance(row, exp.Tuple) else [row.this if isinstance(row, exp.Paren) else row]
    )


def column_type(values: list[Expr], number: int, node: exp.Values) -> Type:
    """Return the type that the values of a column come to."""
    common: Type | None = None
    for value in values:
        if value == UNTYPED_NULL:
            continue
        met = common_type(common, value.type)
        if met is None:
            message = f"column {number} of VALUES is {common} in one row and {value.type} in another"
            raise QueryError(message, span_of(node))
        common = met
    return common or Type.TEXT


def constants(row: list[Expr], types: list[Type]) -> Row:
    typed = [converted(value, kind) or value for value, kind in zip(row, types, strict=True)]
    return tuple(compiled(value)(()) for value in typed)
