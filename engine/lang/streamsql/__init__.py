"""StreamSQL: SQL in PostgreSQL's spelling, with windows in brackets after a relation's name.

text ─dialect→ sqlglot's tree ─binder→ logical plan
"""

from engine.lang.streamsql.forms import (
    CreateRelation,
    CreateView,
    DeleteRows,
    DropRelation,
    DropView,
    Explain,
    ExplainWhy,
    InsertRows,
    Output,
    Query,
    Show,
    Statement,
)
from engine.lang.streamsql.statements import parse, parse_script

__all__ = [
    "CreateRelation",
    "CreateView",
    "DeleteRows",
    "DropRelation",
    "DropView",
    "Explain",
    "ExplainWhy",
    "InsertRows",
    "Output",
    "Query",
    "Show",
    "Statement",
    "parse",
    "parse_script",
]
