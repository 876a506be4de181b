"""Text becomes statements."""

import re
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.dialect import StreamSQL
from engine.lang.streamsql.known import check_known
from engine.lang.streamsql.spans import blanked, count_lines, span_of
from engine.lang.streamsql.syntax import STATEMENTS, syntax_error, unreadable
from engine.model.errors import QueryError

# sqlglot gives up on a CREATE whose query does not parse, without saying where.
COMMENTS = r"(?:\s|--[^\r\n]*|(?>/\*.*?\*/))*+"
CREATE_VIEW = re.compile(COMMENTS + r'CREATE\s+VIEW\s+[\w"]+\s+AS\b', re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Query:
    """A continuous query without a name."""

    select: exp.Expr
    text: str


@dataclass(frozen=True, slots=True)
class CreateView:
    """A continuous query with a name."""

    name: str
    select: exp.Expr
    text: str


@dataclass(frozen=True, slots=True)
class DropView:
    """The end of a view."""

    name: str


@dataclass(frozen=True, slots=True)
class Explain:
    """A question about a plan."""

    select: exp.Expr


Statement = Query | CreateView | DropView | Explain


def parse(text: str) -> Statement:
    """Return the one statement of a text."""
    statements = parse_script(text)
    if len(statements) != 1:
        message = f"expected one statement, found {len(statements) or 'none'}; it may be {STATEMENTS}"
        raise QueryError(message)
    return statements[0]


def parse_script(text: str) -> list[Statement]:
    """Return the statements of a text, which are separated by semicolons."""
    return [statement for piece in _pieces(text) if (statement := _parsed(piece)) is not None]


def _pieces(text: str) -> list[str]:
    """Cut at semicolons; what is before a piece is blanked out, so that its places hold."""
    try:
        tokens = StreamSQL().tokenize(text)
    except TokenError as error:
        raise unreadable(error, text) from None
    ends = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    starts = [0, *(end + 1 for end in ends)]
    return [blanked(text[:a]) + text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)]


def _parsed(text: str) -> Statement | None:
    try:
        trees = sqlglot.parse(text, read=StreamSQL)
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
    if isinstance(trees[0], exp.Command) and (header := CREATE_VIEW.match(text)):
        _parsed(blanked(text[: header.end()]) + text[header.end() :])
    count_lines(trees[0], text)
    check_known(trees[0])
    return _statement(trees[0], text.strip())


def _statement(tree: exp.Expr, text: str) -> Statement:
    match tree:
        case exp.Select() | exp.SetOperation() | exp.Subquery():
            return Query(tree, text)
        case exp.Create() if tree.kind == "VIEW" and isinstance(tree.this, exp.Table) and tree.expression:
            return CreateView(tree.this.name.lower(), tree.expression, text)
        case exp.Drop() if tree.args.get("kind") == "VIEW" and len(tree.args["tables"]) == 1:
            return DropView(tree.args["tables"][0].name.lower())
        case exp.Describe() if isinstance(tree.this, exp.Query):
            return Explain(tree.this)
    found = " ".join(text.split()[:2])
    message = f"{found} … is not a statement of StreamSQL; expected {STATEMENTS}"
    raise QueryError(message, span_of(tree))
