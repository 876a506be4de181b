"""What may follow a relation in FROM: the window in brackets, the device that feeds it, how often it is read.

    relation [RANGE 5 MINUTES SLIDE 1 MINUTE]    [PARTITION BY k ROWS 1]    [NOW]    [UNBOUNDED]
    relation [SIZE 300 TIME]    [SIZE 1 TUPLE PARTITION BY k]               as ASPEN spells RANGE and ROWS
    relation [window] FROM DEVICE type SAMPLE PERIOD 10 SECONDS alias       DEVICE type [window] alias

TIME counts seconds. Read here, understood in ``windows`` and ``devices``.

Private hooks overridden: ``Parser._parse_table_parts`` and ``Parser._parse_table_sample``.
"""

from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.nodes import placed
from engine.lang.streamsql.grammar.words import WordParser, span_of
from engine.model.errors import QueryError

WINDOW, DEVICE, IS_DEVICE, PERIOD, SAMPLE = "window", "device", "is_device", "period", "sample"
# Two words that are one token, which stands where TABLESAMPLE would.
SAMPLE_PERIOD = TokenType.TABLE_SAMPLE
CLAUSES = (WINDOW, DEVICE, IS_DEVICE, PERIOD, SAMPLE)
WINDOW_FORMS = "RANGE n unit [SLIDE n unit], [PARTITION BY columns] ROWS n, NOW or UNBOUNDED"
UNITS_SHOWN = "there are MICROSECONDS, MILLISECONDS, SECONDS, MINUTES, HOURS, DAYS and WEEKS"
COUNTED = ("RANGE", "ROWS", "SIZE")


class WindowSpec(exp.Expression):
    """The words between the brackets; SIZE has become RANGE or ROWS."""

    arg_types = {"kind": True, "count": False, "unit": False, "slide": False, "partition": False}  # noqa: RUF012 - sqlglot's form


class Duration(exp.Expression):
    """A number and a unit; ``clause`` says what they belong to."""

    arg_types = {"clause": True, "count": True, "unit": True}  # noqa: RUF012 - sqlglot's form


class BracketParser(WordParser):
    """Reads what follows a relation's name."""

    def _parse_table_parts(self, *args: Any, **kwargs: Any) -> Any:
        table = self._read_device_table() or super()._parse_table_parts(*args, **kwargs)
        if isinstance(table, exp.Table):
            if self._match(TokenType.L_BRACKET):
                opens = span_of(self._prev)
                table.set(WINDOW, placed(self._read_window(), opens._replace(end=span_of(self._prev).end)))
            if self._match_text_seq("FROM", "DEVICE"):
                table.set(DEVICE, self._read_device_type())
            if self._is_at_sample_period():
                table.set(PERIOD, self._read_sample_period())
        return table

    def _parse_table_sample(self, as_modifier: bool = False) -> Any:
        """Read SAMPLE PERIOD behind an alias, where sqlglot looks for TABLESAMPLE."""
        if not self._is_at_sample_period():
            return super()._parse_table_sample(as_modifier=as_modifier)
        if as_modifier:
            message = (
                f"SAMPLE PERIOD stands in from, line {self._curr.line}, right after the stream that it is for"
            )
            raise QueryError(message, span_of(self._curr))
        return self._read_sample_period()

    def _read_device_table(self) -> exp.Table | None:
        """Read DEVICE type, which stands for the stream that such devices feed."""
        names = (*self.TABLE_ALIAS_TOKENS, TokenType.IDENTIFIER, TokenType.STRING)
        if self._next.token_type not in names or not self._match_text_seq("DEVICE"):
            return None
        return exp.Table(this=self._read_device_type(), **{IS_DEVICE: True})

    def _read_device_type(self) -> exp.Identifier:
        if self._match(TokenType.STRING):
            return exp.to_identifier(self._prev.text, quoted=True).update_positions(self._prev)
        named = self._parse_id_var()
        if not isinstance(named, exp.Identifier):
            refusal = self._refusal("DEVICE takes a type of device, found {}")
            raise refusal
        return named

    def _is_at_sample_period(self) -> bool:
        return self._is_at(SAMPLE_PERIOD) and self._curr.text[:1] in "sS"

    def _read_sample_period(self) -> Duration:
        opens = span_of(self._curr)
        self._advance()
        period = self._read_duration("SAMPLE PERIOD")
        placed(period, opens._replace(end=span_of(self._prev).end))
        return period

    # Between the brackets

    def _read_window(self) -> WindowSpec:
        partition, opening = self._read_partition_columns(), self._curr
        kind = self._read_kind()
        count = self._read_count(kind) if kind in COUNTED else None
        unit = self._read_unit(kind) if kind == "RANGE" else None
        if kind == "SIZE":
            kind, unit = self._read_size_unit()
        partition = partition or (self._read_partition_columns() if kind == "ROWS" else [])
        if (partition and kind != "ROWS") or self._is_at(TokenType.PARTITION_BY):
            message = f"PARTITION BY goes with ROWS n, found {kind} in from, line {opening.line}"
            raise QueryError(message, span_of(opening))
        slide = self._read_slide(kind)
        if not self._match(TokenType.R_BRACKET):
            refusal = self._refusal("a window must end with ], found {}")
            raise refusal
        return WindowSpec(kind=kind, count=count, unit=unit, slide=slide, partition=partition)

    def _read_kind(self) -> str:
        for kind in ("NOW", "UNBOUNDED", *COUNTED):
            if self._match_text_seq(kind):
                return kind
        forms = f"a window is {WINDOW_FORMS}"
        if self._match_text_seq("SLIDE", advance=False):
            refusal = self._refusal("{} needs a RANGE before it", forms)
            raise refusal
        refusal = self._refusal("unknown window {}", forms)
        raise refusal

    def _read_slide(self, kind: str) -> Duration | None:
        opening = self._curr
        if not self._match_text_seq("SLIDE"):
            return None
        if kind != "RANGE":
            message = f"SLIDE goes with RANGE n unit, found {kind} in from, line {opening.line}"
            raise QueryError(message, span_of(opening))
        return self._read_duration("SLIDE")

    def _read_size_unit(self) -> tuple[str, str | None]:
        """Return what SIZE n counts: tuples, or time in seconds or the unit said."""
        if self._match_text_seq("TUPLE") or self._match_text_seq("TUPLES"):
            return "ROWS", None
        if self._match_text_seq("TIME"):
            return "RANGE", "SECONDS"
        if not self._curr or self._curr.token_type is TokenType.R_BRACKET:
            refusal = self._refusal(
                "SIZE takes TIME or TUPLE after the number, found {}", "TIME is in seconds"
            )
            raise refusal
        unit = self._read_unit("SIZE")
        self._match_text_seq("TIME")
        return "RANGE", unit

    def _read_partition_columns(self) -> list[Any]:
        return self._parse_csv(self._parse_id_var) if self._match(TokenType.PARTITION_BY) else []

    def _read_duration(self, clause: str) -> Duration:
        return Duration(clause=clause, count=self._read_count(clause), unit=self._read_unit(clause))

    def _read_count(self, clause: str) -> Decimal:
        if not self._match(TokenType.NUMBER):
            refusal = self._refusal(clause + " takes a number, found {}")
            raise refusal
        try:
            return Decimal(self._prev.text)
        except InvalidOperation:
            message = f"{clause} takes a number, found {self._prev.text} in from, line {self._prev.line}"
            raise QueryError(message, span_of(self._prev)) from None

    def _read_unit(self, clause: str) -> str:
        if not self._curr or self._curr.token_type in (TokenType.R_BRACKET, TokenType.COMMA):
            refusal = self._refusal(clause + " takes a unit after the number, found {}", UNITS_SHOWN)
            raise refusal
        self._advance()
        return self._prev.text.upper()

    def _refusal(self, problem: str, remedy: str = "") -> QueryError:
        """Say what was found here, where the problem has a place for it."""
        token = self._curr or self._prev
        found = problem.format(self._curr.text if self._curr else "the end of the text")
        end = f"; {remedy}" if remedy else ""
        return QueryError(f"{found} in from, line {token.line}{end}", span_of(token))
