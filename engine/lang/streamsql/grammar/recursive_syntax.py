"""What StreamSQL adds to PostgreSQL's grammar of recursion: a limit of rounds, and the recursive view.

    WITH RECURSIVE (ERROR AT RECURSION LIMIT 100) r AS (…) …
    CREATE RECURSIVE VIEW v(a, b) AS q    =    CREATE VIEW v AS WITH RECURSIVE v(a, b) AS (q) SELECT * FROM v
    CREATE VIEW v(a, b) AS q              =    CREATE VIEW v AS WITH v(a, b) AS (q) SELECT * FROM v

Private hooks overridden: ``Parser._parse_cte``.
"""

from typing import Any

from sqlglot import exp
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.nodes import DirectedNode
from engine.lang.streamsql.grammar.words import span_of
from engine.model.errors import QueryError

ROUNDS = "rounds"
LIMIT = ("ERROR", "AT", "RECURSION", "LIMIT")
LIMIT_FORM = "ERROR AT RECURSION LIMIT n), n a whole number from 1,"


class RecursionParser(PostgresParser):
    """Reads what stands behind the word RECURSIVE."""

    def _parse_cte(self, *args: Any, **kwargs: Any) -> Any:
        limit = self._round_limit() if self._prev.token_type is TokenType.RECURSIVE else None
        cte = super()._parse_cte(*args, **kwargs)
        if limit is not None and isinstance(cte, exp.CTE):
            cte.set(ROUNDS, limit)
        return cte

    def _round_limit(self) -> int | None:
        opening = self._curr
        if not self._match(TokenType.L_PAREN):
            return None
        if self._match_text_seq(*LIMIT) and self._match(TokenType.NUMBER):
            number = self._prev.text
            if number.isdigit() and int(number) > 0 and self._match(TokenType.R_PAREN):
                return int(number)
        message = f"expected {LIMIT_FORM} after RECURSIVE (, line {opening.line}"
        raise QueryError(message, span_of(opening))


def named_query(name: Any, columns: list[Any], query: Any, is_recursive: bool) -> Any:
    """Return the query of a view under a WITH of the view's name, which gives its columns names."""
    body = query.this if isinstance(query, DirectedNode) else query
    alias = exp.TableAlias(this=name.copy(), columns=columns)
    with_ = exp.With(expressions=[exp.CTE(this=body, alias=alias)], recursive=is_recursive or None)
    source = exp.From(this=exp.Table(this=name.copy()))
    named = exp.Select(expressions=[exp.Star()], from_=source, with_=with_)
    if isinstance(query, DirectedNode):
        query.set("this", named)
        return query
    return named
