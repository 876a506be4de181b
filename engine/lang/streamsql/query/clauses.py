"""Which clauses a query may have."""

from sqlglot import exp

from engine.lang.streamsql.refusals import CLAUSES as REFUSED
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError

ORDERED = frozenset({"order", "limit", "offset", "with_"})
KNOWN: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: ORDERED | {"expressions", "from_", "joins", "where", "group", "having", "distinct", "kind"},
    exp.Subquery: ORDERED | {"this", "alias"},
    exp.Union: ORDERED | {"this", "expression", "distinct"},
    exp.Except: ORDERED | {"this", "expression", "distinct"},
    exp.Intersect: ORDERED | {"this", "expression", "distinct"},
    exp.Values: frozenset({"expressions", "alias"}),
}
CLAUSES = (
    "a query has WITH, SELECT, DISTINCT, FROM, WHERE, GROUP BY, HAVING, UNION, EXCEPT, INTERSECT, "
    "ORDER BY, LIMIT and OFFSET"
)


def check_clauses(node: exp.Expr) -> None:
    """Refuse what is no query, and a clause that would be ignored."""
    known = KNOWN.get(type(node))
    if known is None:
        message = f"{node.key.upper()} is not part of StreamSQL; {CLAUSES}"
        raise QueryError(message, span_of(node))
    for clause, value in node.args.items():
        if value and clause not in known:
            name, remedy = REFUSED.get(clause, (clause.strip("_").upper(), CLAUSES))
            message = f"{name} is not part of StreamSQL; {remedy}"
            raise QueryError(message, span_of(value if isinstance(value, exp.Expr) else node))
