"""The StreamSQL dialect of sqlglot: PostgreSQL's, with our statements and what may follow a relation.

Private hooks overridden: ``Parser._parse_join``, ``Parser._parse_interval`` and
``Parser._parse_function_call`` here, ``Parser._parse_statement`` in ``commands``,
``Parser._parse_table_parts`` and ``Parser._parse_table_sample`` in ``brackets``, ``Parser._parse_cte`` in
``recursive_syntax``.
"""

import logging
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokenizer_core import Token, TokenType

from engine.lang.streamsql.grammar.brackets import SAMPLE_PERIOD, BracketParser
from engine.lang.streamsql.grammar.commands import StatementParser
from engine.lang.streamsql.grammar.directions import LIMITED_TO, OPTIMIZE_FOR, OUTPUT_TO
from engine.lang.streamsql.grammar.nodes import FOLD_NODES, placed
from engine.lang.streamsql.grammar.recursive_syntax import RecursionParser
from engine.lang.streamsql.grammar.words import span_of
from engine.lang.streamsql.spans import number_lines
from engine.model.errors import QueryError

# What sqlglot would warn of (an opaque Command) becomes an error of ours.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

AGGREGATES = {
    "COUNT": "Count", "SUM": "Sum", "AVG": "Avg", "MIN": "Min", "MAX": "Max", "ANY_VALUE": "AnyValue",
    "STDDEV": "Stddev", "STDDEV_SAMP": "StddevSamp", "STDDEV_POP": "StddevPop", "VARIANCE": "Variance",
    "VAR_SAMP": "Variance", "VAR_POP": "VariancePop", "BOOL_AND": "LogicalAnd", "BOOL_OR": "LogicalOr",
    "EVERY": "LogicalAnd", "ARRAY_AGG": "ArrayAgg",
}  # fmt: skip
SPELLED_OUT = ("CAST", "EXTRACT", "POSITION", "STRING_AGG", "SUBSTRING", "TRIM")


class StreamSQLParser(StatementParser, BracketParser, RecursionParser):
    """Insists on the ON of a JOIN; a function that is not listed is what the catalogue has by its name."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {
        **{name: getattr(exp, node).from_arg_list for name, node in AGGREGATES.items()},
        **{node.sql_name(): node.from_arg_list for node in FOLD_NODES},
    }
    FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: Postgres.Parser.FUNCTION_PARSERS[name] for name in SPELLED_OUT
    }

    def _parse_interval(self, *args: Any, **kwargs: Any) -> Any:
        return self._placed_whole(super()._parse_interval, *args, **kwargs)

    def _parse_function_call(self, *args: Any, **kwargs: Any) -> Any:
        """Read a call; sqlglot gives one without brackets, such as CURRENT_DATE, no place."""
        if not self._curr or self._curr.token_type not in self.NO_PAREN_FUNCTIONS:
            return super()._parse_function_call(*args, **kwargs)
        return self._placed_whole(super()._parse_function_call, *args, **kwargs)

    def _placed_whole(self, read: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what is read, placed from its first word to its last."""
        begins = self._curr
        found = read(*args, **kwargs)
        if isinstance(found, exp.Func | exp.Interval):
            placed(found, span_of(begins)._replace(end=span_of(self._prev).end))
        return found

    def _parse_join(self, *args: Any, **kwargs: Any) -> Any:
        begins = self._curr
        join = super()._parse_join(*args, **kwargs)
        if isinstance(join, exp.Join) and begins.token_type is not TokenType.COMMA and lacks_condition(join):
            message = f"a JOIN needs ON in from, line {begins.line}; a comma makes all combinations"
            raise QueryError(message, span_of(begins))
        return join


def lacks_condition(join: exp.Join) -> bool:
    """Tell whether a JOIN says nothing of how its rows meet."""
    return join.kind != "CROSS" and not (join.args.get("on") or join.args.get("using") or join.method)


class StreamSQL(Postgres):
    """Registered with sqlglot by being defined."""

    Parser = StreamSQLParser
    INDEX_OFFSET = 0

    class Tokenizer(Postgres.Tokenizer):
        """Nothing is an opaque command; lines are counted anew, since sqlglot miscounts after a dollar."""

        COMMANDS: ClassVar[set[TokenType]] = set()
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **Postgres.Tokenizer.KEYWORDS,
            "OUTPUT TO": OUTPUT_TO,
            "LIMITED TO": LIMITED_TO,
            "OPTIMIZE FOR": OPTIMIZE_FOR,
            "SAMPLE PERIOD": SAMPLE_PERIOD,
        }

        def tokenize(self, sql: str) -> list[Token]:
            """Return the tokens of a text."""
            return number_lines(super().tokenize(sql), sql)
