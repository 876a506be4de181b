"""StreamSQL: SQL in PostgreSQL's spelling, with windows in brackets after a relation's name.

text ─grammar→ sqlglot's tree ─statements→ statements ─query, nested, scalars, recursion→ logical plan

grammar      the dialect, our words in it, what of a tree is known, what is said of a text that is none
statements   what a text may say, as plain values; parameters and rows that people write
query        one query, clause by clause, from FROM to LIMIT; sets of queries
nested       queries among expressions, and what they read of the rows around them
scalars      expressions, functions and aggregate calls, with their types
recursion    WITH, and names that are defined by each other
"""

from engine.lang.streamsql.statements.forms import (
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
from engine.lang.streamsql.statements.reading import parse, parse_script

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
