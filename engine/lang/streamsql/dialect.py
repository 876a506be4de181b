"""The StreamSQL dialect of sqlglot: PostgreSQL's, and a window in brackets after a relation.

    relation [RANGE 30 SECONDS]   relation [PARTITION BY k ROWS 1]   relation [NOW]   relation [UNBOUNDED]

Private hook overridden, the only one: ``Parser._parse_table_parts``.
"""

import logging
from typing import Any

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import Token, TokenType

from engine.model.errors import QueryError, Span

WINDOW = "window"
WINDOW_FORMS = "RANGE n unit, ROWS n, PARTITION BY columns ROWS n, NOW or UNBOUNDED"

# What sqlglot would warn of (an opaque Command) becomes an error of ours.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class WindowSpec(exp.Expression):
    """The words between the brackets."""

    arg_types = {"kind": True, "count": False, "unit": False, "partition": False}  # noqa: RUF012 - sqlglot's form


def span_of(token: Token) -> Span:
    return Span(token.line, token.start, token.end + 1)


class StreamSQLParser(PostgresParser):
    """Reads the bracket after a relation's name."""

    def _parse_table_parts(self, *args: Any, **kwargs: Any) -> Any:
        table = super()._parse_table_parts(*args, **kwargs)
        if isinstance(table, exp.Table) and self._match(TokenType.L_BRACKET):
            table.set(WINDOW, self._parse_stream_window())
        return table

    def _parse_stream_window(self) -> WindowSpec:
        partition = self._parse_partition_columns()
        opening = self._curr
        for kind in ("NOW", "UNBOUNDED", "RANGE", "ROWS"):
            if self._match_text_seq(kind):
                break
        else:
            found = opening.text if opening else "the end"
            message = f"unknown window {found}; a window is {WINDOW_FORMS}"
            raise QueryError(message, span_of(opening) if opening else None)
        count = self._window_count(kind) if kind in ("RANGE", "ROWS") else None
        unit = self._window_unit() if kind == "RANGE" else None
        if partition and kind != "ROWS":
            message = f"PARTITION BY goes with ROWS n, found {kind}"
            raise QueryError(message, span_of(opening))
        if not self._match(TokenType.R_BRACKET):
            found = self._curr.text if self._curr else "the end of the text"
            message = f"a window must end with ], found {found}"
            raise QueryError(message, self._here())
        return WindowSpec(kind=kind, count=count, unit=unit, partition=partition)

    def _parse_partition_columns(self) -> list[Any]:
        if self._match(TokenType.PARTITION_BY) or self._match_text_seq("PARTITION", "BY"):
            return self._parse_csv(self._parse_id_var)
        return []

    def _window_count(self, kind: str) -> float:
        if not self._match(TokenType.NUMBER):
            found = self._curr.text if self._curr else "the end of the text"
            message = f"{kind} takes a number, found {found}"
            raise QueryError(message, self._here())
        return float(self._prev.text)

    def _window_unit(self) -> str:
        if not self._curr or self._curr.token_type is TokenType.R_BRACKET:
            message = "RANGE takes a unit after the number: MILLISECONDS, SECONDS, MINUTES, HOURS or DAYS"
            raise QueryError(message, self._here())
        self._advance()
        return self._prev.text.upper()

    def _here(self) -> Span | None:
        token = self._curr or self._prev
        return span_of(token) if token else None


class StreamSQL(Postgres):
    """Registered with sqlglot by being defined."""

    Parser = StreamSQLParser

    class Tokenizer(Postgres.Tokenizer):
        """EXPLAIN is a statement, not an opaque command."""

        KEYWORDS = {**Postgres.Tokenizer.KEYWORDS, "EXPLAIN": TokenType.DESCRIBE}  # noqa: RUF012 - sqlglot's form
