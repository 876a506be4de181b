"""Options, as relations, views and outputs take them.

WITH (name = 'value', …)
"""

from typing import Any

from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.words import WordParser


class OptionParser(WordParser):
    """Reads options."""

    def _read_options(self, example: str) -> list[tuple[Any, str]]:
        if not self._match_text_seq("WITH"):
            return []
        self._insist("(", f"( after WITH, such as {example}")
        options: list[tuple[Any, str]] = self._parse_csv(self._read_option)
        self._closing()
        return options

    def _read_option(self) -> tuple[Any, str]:
        name = self._name("an option")
        self._insist("=", f"= after {name.name}")
        sign = "-" if self._match(TokenType.DASH) else ""
        if self._match_set((TokenType.STRING, TokenType.NUMBER, TokenType.TRUE, TokenType.FALSE)):
            return name, sign + self._prev.text
        refusal = self._expected(f"a value of {name.name} in quotes")
        raise refusal
