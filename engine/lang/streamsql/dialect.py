"""The StreamSQL dialect of sqlglot: PostgreSQL's, and a window in brackets after a relation.

    relation [RANGE 30 SECONDS]   relation [PARTITION BY k ROWS 1]   relation [NOW]   relation [UNBOUNDED]

Private hooks overridden: ``Parser._parse_table_parts`` and ``Parser._parse_join`` here, and
``Parser._parse_statement`` where our statements are read.
"""

import logging
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokenizer_core import Token, TokenType

from engine.lang.streamsql.commands import LIMITED_TO, OUTPUT_TO, StatementParser
from engine.lang.streamsql.spans import number_lines
from engine.lang.streamsql.words import span_of
from engine.model.errors import QueryError

WINDOW = "window"
WINDOW_FORMS = "RANGE n unit, ROWS n, PARTITION BY columns ROWS n, NOW or UNBOUNDED"

# What sqlglot would warn of (an opaque Command) becomes an error of ours.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class WindowSpec(exp.Expression):
    """The words between the brackets."""

    arg_types = {"kind": True, "count": False, "unit": False, "partition": False}  # noqa: RUF012 - sqlglot's form


class StreamSQLParser(StatementParser):
    """Reads the bracket after a relation's name, and insists on the ON of a JOIN."""

    def _parse_table_parts(self, *args: Any, **kwargs: Any) -> Any:
        table = super()._parse_table_parts(*args, **kwargs)
        if isinstance(table, exp.Table) and self._match(TokenType.L_BRACKET):
            table.set(WINDOW, self._parse_stream_window())
        return table

    def _parse_join(self, *args: Any, **kwargs: Any) -> Any:
        begins = self._curr
        join = super()._parse_join(*args, **kwargs)
        if isinstance(join, exp.Join) and begins.token_type is not TokenType.COMMA and lacks_condition(join):
            message = f"a JOIN needs ON in from, line {begins.line}; a comma makes all combinations"
            raise QueryError(message, span_of(begins))
        return join

    def _parse_stream_window(self) -> WindowSpec:
        partition = self._parse_partition_columns()
        opening = self._curr
        for kind in ("NOW", "UNBOUNDED", "RANGE", "ROWS"):
            if self._match_text_seq(kind):
                break
        else:
            refusal = self._refusal("unknown window {}", f"a window is {WINDOW_FORMS}")
            raise refusal
        if partition and kind != "ROWS":
            message = f"PARTITION BY goes with ROWS n, found {kind} in from, line {opening.line}"
            raise QueryError(message, span_of(opening))
        count = self._window_count(kind) if kind in ("RANGE", "ROWS") else None
        unit = self._window_unit() if kind == "RANGE" else None
        if not self._match(TokenType.R_BRACKET):
            refusal = self._refusal("a window must end with ], found {}")
            raise refusal
        return WindowSpec(kind=kind, count=count, unit=unit, partition=partition)

    def _parse_partition_columns(self) -> list[Any]:
        if self._match(TokenType.PARTITION_BY) or self._match_text_seq("PARTITION", "BY"):
            return self._parse_csv(self._parse_id_var)
        return []

    def _window_count(self, kind: str) -> float:
        if not self._match(TokenType.NUMBER):
            refusal = self._refusal(kind + " takes a number, found {}")
            raise refusal
        try:
            return float(self._prev.text)
        except ValueError:
            message = f"{kind} takes a number, found {self._prev.text} in from, line {self._prev.line}"
            raise QueryError(message, span_of(self._prev)) from None

    def _window_unit(self) -> str:
        if not self._curr or self._curr.token_type is TokenType.R_BRACKET:
            units = "there are MILLISECONDS, SECONDS, MINUTES, HOURS and DAYS"
            refusal = self._refusal("RANGE takes a unit after the number, found {}", units)
            raise refusal
        self._advance()
        return self._prev.text.upper()

    def _refusal(self, problem: str, remedy: str = "") -> QueryError:
        """Say what was found here, where the problem has a place for it."""
        token = self._curr or self._prev
        found = problem.format(self._curr.text if self._curr else "the end of the text")
        end = f"; {remedy}" if remedy else ""
        return QueryError(f"{found} in from, line {token.line}{end}", span_of(token))


def lacks_condition(join: exp.Join) -> bool:
    """Tell whether a JOIN says nothing of how its rows meet; what we do not run is the binder's to refuse."""
    return join.kind in ("", "INNER") and not (join.args.get("on") or join.args.get("using") or join.method)


class StreamSQL(Postgres):
    """Registered with sqlglot by being defined."""

    Parser = StreamSQLParser

    class Tokenizer(Postgres.Tokenizer):
        """Nothing is an opaque command; lines are counted anew, since sqlglot miscounts after a dollar."""

        COMMANDS: ClassVar[set[TokenType]] = set()
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **Postgres.Tokenizer.KEYWORDS,
            "OUTPUT TO": OUTPUT_TO,
            "LIMITED TO": LIMITED_TO,
        }

        def tokenize(self, sql: str) -> list[Token]:
            """Return the tokens of a text."""
            return number_lines(super().tokenize(sql), sql)
