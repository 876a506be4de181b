"""What of SQL is left out on purpose, and why, or what to write instead.

A view is a function of what was logged, so nothing in it may read a clock or throw dice.
"""

from sqlglot import exp

from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError

OF_THE_CLOCK = "a view is a function of what was logged; a window such as [RANGE 30 SECONDS] moves with time"
PATTERNS = "x ~ 'pattern' tells whether a regular expression is found in x; LIKE and ILIKE are there, too"
BY_NAME: dict[str, str] = {
    "array": "ARRAY[1, 2] and array_agg(x) are",
    **dict.fromkeys(
        ("now", "clock_timestamp", "statement_timestamp", "age", "getdate", "sysdate", "curdate"),
        OF_THE_CLOCK,
    ),
    **dict.fromkeys(("random", "rand", "newid", "uuid", "gen_random_uuid"), OF_THE_CLOCK),
    **dict.fromkeys(("regexp_replace", "regexp_like", "regexp_matches", "regexp_match"), PATTERNS),
}
BY_NODE: dict[type[exp.Expr], tuple[str, str]] = {
    exp.CurrentTimestamp: ("CURRENT_TIMESTAMP", OF_THE_CLOCK),
    exp.CurrentDate: ("CURRENT_DATE", OF_THE_CLOCK),
    exp.CurrentTime: ("CURRENT_TIME", OF_THE_CLOCK),
    exp.Localtimestamp: ("LOCALTIMESTAMP", OF_THE_CLOCK),
    exp.Localtime: ("LOCALTIME", OF_THE_CLOCK),
    exp.RegexpILike: ("the operator ~*", "lower(x) ~ 'pattern' asks the same of small letters"),
    exp.SimilarTo: ("SIMILAR TO", PATTERNS),
    exp.Escape: ("ESCAPE", "in a LIKE pattern a backslash takes the next character as it is"),
}
GROUPINGS = "write a query for each grouping and put them together by UNION ALL"
INSTEAD: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Window: (
        "a window function (OVER)",
        "a query may stand for a value, (SELECT count(*) FROM … WHERE …), and LIMIT gives the first",
    ),
    exp.GroupingSets: ("GROUPING SETS", GROUPINGS),
    exp.Rollup: ("ROLLUP", GROUPINGS),
    exp.Cube: ("CUBE", GROUPINGS),
    exp.WithinGroup: ("WITHIN GROUP", "array_agg(x ORDER BY x) has the values in order"),
    exp.Lateral: ("LATERAL", "a query in SELECT or WHERE may read the query around it"),
    exp.Unnest: ("unnest in FROM", "VALUES makes rows of constants"),
}
CLAUSES: dict[str, tuple[str, str]] = {
    "into": ("INTO", "CREATE VIEW name AS SELECT … keeps what a query finds"),
    "windows": INSTEAD[exp.Window],
    "qualify": ("QUALIFY", "a condition on a query in SELECT goes around it: SELECT … FROM (SELECT …) name"),
    "locks": ("FOR UPDATE", "leave it out: a query changes nothing"),
    "connect": ("CONNECT BY", "WITH RECURSIVE says the same"),
    "laterals": INSTEAD[exp.Lateral],
}


def refusal(node: exp.Expr, clause: str) -> QueryError:
    """Return the error of a node that is left out."""
    called, reason = BY_NODE.get(type(node)) or (node.name, BY_NAME[node.name.lower()])
    return QueryError(f"{called} is not part of StreamSQL{where(node, clause)}; {reason}", span_of(node))


def check_supported(node: exp.Expr, clause: str) -> None:
    """Refuse what is known from elsewhere, and say what to write instead."""
    found = INSTEAD.get(type(node))
    if found:
        message = f"{found[0]} is not part of StreamSQL{where(node, clause)}; {found[1]}"
        raise QueryError(message, span_of(node))
