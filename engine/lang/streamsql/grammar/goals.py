"""OPTIMIZE FOR: what a query is to be good at, and what it may cost the sites.

OPTIMIZE FOR latency 0.7, energy 0.3 [WITH LIFETIME AT LEAST 365 DAYS] [, BYTES AT MOST 2000 A SECOND]
"""

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.nodes import GoalNode, placed
from engine.lang.streamsql.grammar.words import WordParser, span_of
from engine.plan.goal import METRICS

NAMES = tuple(metric.upper() for metric in METRICS)
CONSTRAINTS = ("LIFETIME", "BYTES")


class GoalParser(WordParser):
    """Reads a goal at the end of a query."""

    def _read_goal(self) -> Any:
        begins = self._prev
        weights = self._parse_csv(self._read_weight)
        constraints = self._parse_csv(self._read_constraint) if self._match(TokenType.WITH) else []
        return placed(GoalNode(weights=weights, constraints=constraints), span_of(begins))

    def _read_weight(self) -> tuple[str, exp.Var | None]:
        metric = self._one_of(NAMES, "after OPTIMIZE FOR")
        return metric, self._said(self._prev.text) if self._match(TokenType.NUMBER) else None

    def _read_constraint(self) -> tuple[str, exp.Var]:
        name = self._one_of(CONSTRAINTS, "after WITH")
        if name == "LIFETIME":
            self._phrase(
                "AT LEAST", "AT LEAST and a duration after LIFETIME, such as LIFETIME AT LEAST 365 DAYS"
            )
            number = self._number("a duration such as 365 DAYS")
            unit = self._name("DAYS or another unit of time")
            return name, self._said(f"{number} {unit.name}")
        example = "BYTES AT MOST 2000 A SECOND"
        self._phrase("AT MOST", f"AT MOST and a number after BYTES, such as {example}")
        number = self._number(f"a number, such as {example}")
        self._phrase("A SECOND", f"A SECOND, such as {example}")
        return name, self._said(number)

    def _number(self, what: str) -> str:
        if self._match(TokenType.NUMBER):
            return str(self._prev.text)
        refusal = self._expected(what)
        raise refusal

    def _phrase(self, words: str, what: str) -> None:
        if not self._match_text_seq(*words.split()):
            refusal = self._expected(what)
            raise refusal

    def _said(self, text: str) -> exp.Var:
        found: exp.Var = placed(exp.Var(this=text), span_of(self._prev))
        return found
