"""What a wrong word was perhaps meant as, told by where it stands.

WHERE room = a101     a text stands in quotes: 'a101'        floor = '1'   without quotes 1 is a bigint
"""

from collections.abc import Sequence

from sqlglot import exp

from engine.model.values import Type
from engine.plan.typed import typed

COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike, exp.In)
WRITE_MOMENTS = "; a moment is written as TIMESTAMP '2026-01-31 09:30'"


def of_column(node: exp.Column) -> str:
    """Return the remedy of a name that no column has, as the end of a message."""
    if node.table:
        return ""
    if node.this.args.get("quoted"):
        return f"; a text stands in single quotes: '{node.name}'"
    return f"; a text stands in quotes: '{node.name}'" if isinstance(node.parent, COMPARED) else ""


def of_types(given: Sequence[Type | None], node: exp.Expr) -> str:
    """Return the remedy of arguments that do not fit, as the end of a message."""
    types = {kind for kind in given if kind is not None}
    if types >= {Type.TIMESTAMP, Type.TEXT}:
        return WRITE_MOMENTS
    if not isinstance(node, COMPARED) or len(types) != 2 or Type.TEXT not in types:
        return ""
    (other,) = types - {Type.TEXT}
    quoted = next((part for part in (node.this, node.expression) if is_text(part)), None)
    if quoted is not None and typed(quoted.name, other) is not None:
        return f"; without quotes {quoted.name} is a {other}"
    return "; CAST makes one type of the other: CAST(x AS TEXT)"


def is_text(node: object) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)
