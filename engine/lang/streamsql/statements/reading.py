"""Text becomes statements; whoever binds one leaves it as it is, so that equal texts are read once."""

from functools import lru_cache

from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.dialect import StreamSQL
from engine.lang.streamsql.grammar.known import check_known
from engine.lang.streamsql.grammar.syntax import STATEMENTS, syntax_error, unreadable
from engine.lang.streamsql.grammar.tokens import check_tokens
from engine.lang.streamsql.spans import blanked
from engine.lang.streamsql.statements.forms import Statement
from engine.lang.streamsql.statements.meant import statement_of
from engine.model.errors import QueryError

# Editors put it before a text; a blank in its place keeps the places.
BYTE_ORDER_MARK = "\ufeff"


def parse(text: str) -> Statement:
    """Return the one statement of a text."""
    statements = parse_script(text)
    if len(statements) != 1:
        message = f"expected one statement, found {len(statements) or 'none'}; it may be {STATEMENTS}"
        raise QueryError(message)
    return statements[0]


def parse_script(text: str) -> list[Statement]:
    """Return the statements of a text, which are separated by semicolons."""
    return list(_script(f" {text[1:]}" if text.startswith(BYTE_ORDER_MARK) else text))


# Many kiosks ask one text, each with its own values, and reading it takes as long as binding it.
@lru_cache(maxsize=128)
def _script(text: str) -> tuple[Statement, ...]:
    return tuple(statement for piece in _pieces(text) if (statement := _parsed(piece)) is not None)


def _pieces(text: str) -> list[str]:
    """Cut at semicolons; what is before a piece is blanked out, so that its places hold."""
    try:
        tokens = StreamSQL().tokenize(text)
    except TokenError as error:
        raise unreadable(error, text) from None
    check_tokens(tokens)
    ends = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    starts = [0, *(end + 1 for end in ends)]
    return [blanked(text[:a]) + text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)]


def _parsed(text: str) -> Statement | None:
    try:
        trees = StreamSQL().parse(text)
    except ParseError as error:
        raise syntax_error(error, text) from None
    except SqlglotError as error:
        message = f"syntax error: {error}"
        raise QueryError(message) from None
    except RecursionError:
        message = "nested too deeply; put the inner parts into views"
        raise QueryError(message) from None
    except (ValueError, TypeError, LookupError, AttributeError):
        # A text that sqlglot's parser does not expect may stop it anywhere.
        message = f"syntax error: the text cannot be read; expected {STATEMENTS}"
        raise QueryError(message) from None
    if not trees or trees[0] is None:
        return None
    check_known(trees[0])
    return statement_of(trees[0], text.strip())
