"""What is wrong with a text before it is parsed: the words that sqlglot would pass over or misread.

GROUP BY <end>     a, <FROM>     `name`     FROM [name]
"""

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from engine.lang.streamsql.grammar.words import span_of
from engine.model.errors import QueryError, Span

ENDINGS = frozenset(
    {
        TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY,
        TokenType.LIMIT, TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.SEMICOLON, TokenType.COMMA,
    }
)  # fmt: skip
FOLLOWED = {TokenType.COMMA: "something after the comma", TokenType.GROUP_BY: "columns after GROUP BY"}
BEFORE_NAMES = frozenset({TokenType.SELECT, TokenType.FROM, TokenType.JOIN})
BRACKETED = (TokenType.L_BRACKET, TokenType.VAR, TokenType.R_BRACKET)


def check_tokens(tokens: Sequence[Token]) -> None:
    """Refuse the first of these."""
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.token_type in FOLLOWED and (after is None or after.token_type in ENDINGS):
            found = "the end of the text" if after is None else repr(after.text)
            message = f"expected {FOLLOWED[token.token_type]}, found {found}, line {token.line}"
            raise QueryError(message, span_of(token))
        if token.token_type is TokenType.UNKNOWN and token.text == "`" and after is not None:
            refusal = _wrong_quotes("`…`", token, after)
            raise refusal
        inside = tokens[at + 1 : at + 4]
        if token.token_type in BEFORE_NAMES and tuple(each.token_type for each in inside) == BRACKETED:
            refusal = _wrong_quotes("[…]", inside[0], inside[1])
            raise refusal


def _wrong_quotes(quotes: str, opening: Token, name: Token) -> QueryError:
    message = (
        f"{quotes} is no quote, line {opening.line}; a name stands as it is, or in double quotes: "
        f'"{name.text}"'
    )
    return QueryError(message, Span(opening.line, opening.start, name.end + 1))
