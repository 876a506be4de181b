"""StreamSQL: SQL in PostgreSQL's spelling, with windows in brackets after a relation's name.

text ─dialect→ sqlglot's tree ─binder→ logical plan
"""

from engine.lang.streamsql.statements import (
    CreateView,
    DropView,
    Explain,
    Query,
    Statement,
    parse,
    parse_script,
)

__all__ = ["CreateView", "DropView", "Explain", "Query", "Statement", "parse", "parse_script"]
