"""What follows a query: where its rows go, how much it may use, and what it is to be good at.

query [OUTPUT TO kind 'target' [WITH (option = 'value', …)], …]
      [LIMITED TO ROWS n, STATE n unit, TIME n unit, ROUNDS n]
      [OPTIMIZE FOR metric [weight], … [WITH LIFETIME AT LEAST n unit, BYTES AT MOST n A SECOND]]
"""

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.goals import GoalParser
from engine.lang.streamsql.grammar.nodes import DirectedNode, placed
from engine.lang.streamsql.grammar.options import OptionParser
from engine.lang.streamsql.grammar.words import span_of
from engine.lang.streamsql.statements.writing import WritingParser
from engine.model.errors import Span

# Two words that are one token, so that neither is taken for an alias; sqlglot has no other use for these.
OUTPUT_TO, LIMITED_TO, OPTIMIZE_FOR = TokenType.URI_START, TokenType.HIVE_TOKEN_STREAM, TokenType.UNDROP
DIRECTIONS = (OUTPUT_TO, LIMITED_TO, OPTIMIZE_FOR)
OUTPUTS = ("DISPLAY", "ALARM", "MQTT")
LIMITS = ("ROWS", "STATE", "TIME", "ROUNDS")
ALARM_OPTIONS = "WITH (severity = 'high', hold = '30 seconds')"
ENDS_LIMIT = (TokenType.COMMA, *DIRECTIONS)


Read = tuple[str, str, Span, tuple[tuple[str, str], ...]]


class DirectionParser(GoalParser, OptionParser, WritingParser):
    """Reads directions at the end of a query."""

    def _read_directions(self, query: Any) -> Any:
        outputs: list[Read] = []
        limits: dict[str, exp.Var] = {}
        goals: list[Any] = []
        while self._match_set(DIRECTIONS):
            if self._prev.token_type is OUTPUT_TO:
                outputs += self._parse_csv(self._read_output)
            elif self._prev.token_type is LIMITED_TO:
                limits.update(self._parse_csv(self._read_limit))
            else:
                goals.append(self._read_goal())
        if not (outputs or limits or goals):
            return query
        return DirectedNode(this=query, outputs=outputs, limits=limits, goals=goals)

    def _read_output(self) -> Read:
        begins = self._curr
        kind = self._one_of(OUTPUTS, "after OUTPUT TO")
        is_named = kind != "ALARM" or self._is_at(TokenType.STRING)
        target = self._text(f"the name of a {kind} in quotes") if is_named else ""
        span = span_of(begins)._replace(end=span_of(self._prev).end)
        options = self._read_options(ALARM_OPTIONS) if kind == "ALARM" else []
        return kind, target, span, tuple((name.name.lower(), value) for name, value in options)

    def _read_limit(self) -> tuple[str, exp.Var]:
        begins = self._curr
        limit = self._one_of(LIMITS, "after LIMITED TO")
        if not self._match(TokenType.NUMBER):
            refusal = self._expected(f"a number after {limit}")
            raise refusal
        amount = self._prev.text
        if self._curr and self._curr.token_type not in ENDS_LIMIT and not self._is_at_limit():
            self._advance()
            amount += f" {self._prev.text}"
        if self._is_at_limit():
            refusal = self._expected("a comma between limits, such as LIMITED TO ROWS 10000, TIME 50 MS")
            raise refusal
        return limit, placed(exp.Var(this=amount), span_of(begins)._replace(end=span_of(self._prev).end))

    def _is_at_limit(self) -> bool:
        return bool(self._curr) and self._curr.text.upper() in LIMITS
