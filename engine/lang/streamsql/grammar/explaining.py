"""EXPLAIN: how a query or a view is run, and why a row is in a view, or is not.

EXPLAIN [ANALYZE] [(FORMAT JSON, ANALYZE)] query or view        EXPLAIN WHY [NOT] view(value, …)
"""

from typing import Any

from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.nodes import ExplainNode, WhyNode
from engine.lang.streamsql.grammar.words import WordParser

QUERIES = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES})
ANALYZE = ("ANALYZE", "ANALYSE")
OPTIONS = ("FORMAT", "ANALYZE")
FORMS = ("TEXT", "JSON")
Asked = dict[str, Any]


class ExplainingParser(WordParser):
    """Reads what stands behind EXPLAIN."""

    def _read_explanation(self) -> Any:
        if self._match_text_seq("WHY"):
            return self._read_why()
        asked: Asked = {"analyze": bool(self._match_texts(ANALYZE)), "form": "text"}
        if self._is_at(TokenType.L_PAREN) and self._next and self._next.token_type not in QUERIES:
            asked |= self._read_explain_options()
        first = self._curr
        if first and (first.token_type in QUERIES or first.text.upper() in ("DATALOG", "CREATE")):
            return ExplainNode(this=self._parse_statement(), **asked)
        return ExplainNode(this=self._name("a query or the name of a view"), **asked)

    def _read_explain_options(self) -> Asked:
        """Read how a plan is to be told."""
        asked: Asked = {}
        self._insist("(", "(")
        for name, value in self._parse_csv(self._read_explain_option):
            if name in asked:
                refusal = self._refused("EXPLAIN takes FORMAT and ANALYZE once each")
                raise refusal
            asked[name] = value
        self._closing()
        return asked

    def _read_explain_option(self) -> tuple[str, Any]:
        option = self._one_of(OPTIONS, "in the brackets after EXPLAIN")
        if option == "FORMAT":
            return "form", self._one_of(FORMS, "after FORMAT").lower()
        return "analyze", True

    def _read_why(self) -> Any:
        negated = self._match(TokenType.NOT)
        view = self._name("the name of a view, and of a row: EXPLAIN WHY view(value, …)")
        if self._match(TokenType.WHERE):
            return WhyNode(this=view, where=self._parse_disjunction(), negated=negated)
        self._insist("(", f"the row: {view.name}(value, …) or {view.name} WHERE column = value AND …")
        values = self._parse_csv(self._parse_disjunction)
        self._closing()
        return WhyNode(this=view, expressions=values, negated=negated)
