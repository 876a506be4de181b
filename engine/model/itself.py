"""What SmartCIS says of itself: tables like any others, so that queries over queries are queries.

    queries          which there are, by which plan they run, whether they do, since when
    operators        the nodes of all plans; one that several queries share is there once
    query_operators  which query stands on which
    query_costs      what each takes and keeps; what is shared counts for each that shares it

What counts or measures is kept apart from what stands, so that little has to be said again.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016: the demonstration's panel of
    running queries, their plans, and the tuples in and out of each operator.
"""

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type

SELF = "self"
RUNNING, SUSPENDED = "running", "suspended"


def _table(name: str, key: tuple[str, ...], *columns: tuple[str, Type]) -> Relation:
    found = tuple(Column(each, kind, nullable=each not in key) for each, kind in columns)
    return Relation(name, RelationKind.TABLE, found, key, source=SELF)


QUERIES = _table(
    "queries",
    ("query",),
    ("query", Type.TEXT),
    ("text", Type.TEXT),
    ("plan", Type.TEXT),
    ("state", Type.TEXT),
    ("since", Type.TIMESTAMP),
    ("problem", Type.TEXT),
)
"""``text`` is NULL of what the building has as a plan; ``plan`` is the operator at its top."""

OPERATORS = _table(
    "operators",
    ("operator",),
    ("operator", Type.TEXT),
    ("does", Type.TEXT),
    ("came", Type.BIGINT),
    ("went", Type.BIGINT),
    ("held", Type.BIGINT),
    ("seconds", Type.DOUBLE),
)
"""Rows that came and went since it started, those it held when last counted, its computing so far."""

QUERY_OPERATORS = _table(
    "query_operators", ("query", "operator"), ("query", Type.TEXT), ("operator", Type.TEXT)
)

QUERY_COSTS = _table(
    "query_costs",
    ("query",),
    ("query", Type.TEXT),
    ("rows", Type.BIGINT),
    ("load", Type.DOUBLE),
    ("bytes", Type.BIGINT),
)
"""``load`` is seconds of computing a second, lately; ``bytes`` is estimated from rows."""

ITSELF = (QUERIES, OPERATORS, QUERY_OPERATORS, QUERY_COSTS)
