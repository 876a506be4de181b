"""Reading a statement word by word, and saying what was expected where another stands.

expected VIEW, STREAM or TABLE after CREATE, found 'VEIW', line 1; did you mean VIEW?
"""

from typing import Any

from sqlglot import exp
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import Token, TokenType

from engine.model.errors import QueryError, Span, nearest


class WordParser(PostgresParser):
    """Reads a name, a word out of few, a text in quotes, or raises what it expected."""

    def _name(self, what: str) -> Any:
        name = self._parse_id_var(any_token=False)
        if isinstance(name, exp.Identifier) and name.name:
            return name
        refusal = self._expected(what)
        raise refusal

    def _text(self, what: str) -> str:
        if self._match(TokenType.STRING):
            return str(self._prev.text)
        refusal = self._expected(what)
        raise refusal

    def _one_of(self, words: tuple[str, ...], place: str) -> str:
        if self._curr and self._match_texts(words):
            return str(self._prev.text).upper()
        refusal = self._expected(f"{listed(words)} {place}", words)
        raise refusal

    def _insist(self, word: str, what: str) -> None:
        if not self._match_text_seq(word):
            refusal = self._expected(what)
            raise refusal

    def _closing(self) -> None:
        self._insist(")", "a comma or )")

    def _is_at(self, kind: TokenType) -> bool:
        return bool(self._curr) and self._curr.token_type is kind

    def _expected(self, what: str, words: tuple[str, ...] = ()) -> QueryError:
        """Say what should stand here, and what does."""
        found = repr(self._curr.text) if self._curr else "the end of the text"
        remedy = nearest(self._curr.text.upper(), list(words)) if self._curr else ""
        return self._refused(f"expected {what}, found {found}", remedy)

    def _refused(self, problem: str, remedy: str = "") -> QueryError:
        token = self._curr or self._prev
        return QueryError(f"{problem}, line {token.line}{remedy}", span_of(token))


def listed(words: tuple[str, ...]) -> str:
    return " or ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])


def span_of(token: Token) -> Span:
    return Span(token.line, token.start, token.end + 1)
