"""The database site: select, project, join and total the tables of one database; it knows no windows.

A function runs there where it has a rendering, and a total where the database's is exactly ours: a
count, a sum of whole numbers, an extreme (texts are collated by code point wherever they are read).
Sums and means of doubles are exact with us and rounded at each step with them, so they stay here.
"""

from engine.model.relation import RelationKind
from engine.model.values import SCALARS, Type
from engine.plan.expressions import Expr
from engine.plan.logical import Aggregate, AggregateCall, Distinct, Join, Project, Scan, Select
from engine.plan.render import can_render
from federated.sites.site import Site

TOTALS = {
    "count": SCALARS,
    "sum": (Type.BIGINT,),
    "min": (Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.TIMESTAMP),
    "max": (Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.TIMESTAMP),
    "bool_and": (Type.BOOLEAN,),
    "bool_or": (Type.BOOLEAN,),
}


def can_run(expression: Expr) -> bool:
    """Tell whether a database can run an expression."""
    return can_render(expression, "database")


def can_total(call: AggregateCall) -> bool:
    """Tell whether a database's total is ours."""
    if call.argument is None:
        return True
    return call.argument.type in TOTALS.get(call.function, ()) and can_run(call.argument)


def refuses(scan: Scan) -> str | None:
    """Say why a database cannot hold a relation."""
    is_table = scan.relation.kind is RelationKind.TABLE
    return None if is_table else "a database offers tables, and the stream site needs the rows to come"


DATABASE = Site(
    "database",
    (Scan, Select, Project, Join, Aggregate, Distinct),
    can_run,
    can_total,
    refuses,
)
