"""What of SQL is left out on purpose, and why.

A view is a function of what was logged, so nothing in it may read a clock or throw dice; and no text
may make one row take a time that its length does not bound.
"""

from sqlglot import exp

from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError

OF_THE_CLOCK = "a view is a function of what was logged; a window such as [RANGE 30 SECONDS] moves with time"
WITHOUT_BOUND = "a regular expression may take a time without bound; LIKE, ILIKE and strpos do not"
BY_NAME: dict[str, str] = {
    "array": "ARRAY[1, 2] and array_agg(x) are",
    **dict.fromkeys(("now", "clock_timestamp", "random", "statement_timestamp", "age"), OF_THE_CLOCK),
    **dict.fromkeys(("regexp_replace", "regexp_like", "regexp_matches", "regexp_match"), WITHOUT_BOUND),
}
BY_NODE: dict[type[exp.Expr], tuple[str, str]] = {
    exp.CurrentTimestamp: ("CURRENT_TIMESTAMP", OF_THE_CLOCK),
    exp.CurrentDate: ("CURRENT_DATE", OF_THE_CLOCK),
    exp.CurrentTime: ("CURRENT_TIME", OF_THE_CLOCK),
    exp.Localtimestamp: ("LOCALTIMESTAMP", OF_THE_CLOCK),
    exp.Localtime: ("LOCALTIME", OF_THE_CLOCK),
    exp.RegexpLike: ("the operator ~", WITHOUT_BOUND),
    exp.RegexpILike: ("the operator ~*", WITHOUT_BOUND),
    exp.SimilarTo: ("SIMILAR TO", WITHOUT_BOUND),
    exp.Escape: ("ESCAPE", "in a LIKE pattern a backslash takes the next character as it is"),
}


def refusal(node: exp.Expr, clause: str) -> QueryError:
    """Return the error of a node that is left out."""
    called, reason = BY_NODE.get(type(node)) or (node.name, BY_NAME[node.name.lower()])
    return QueryError(f"{called} is not part of StreamSQL{where(node, clause)}; {reason}", span_of(node))
