"""Text becomes statements. sqlglot's own error text is never shown as it is."""

import re
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.dialect import StreamSQL
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError, Span

EXPECTED = "SELECT, CREATE VIEW name AS SELECT, DROP VIEW name, or EXPLAIN SELECT"


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
        message = f"expected one statement, found {len(statements)}; expected {EXPECTED}"
        raise QueryError(message)
    return statements[0]


def parse_script(text: str) -> list[Statement]:
    """Return the statements of a text, which are separated by semicolons."""
    return [statement for piece in _pieces(text) if (statement := _parsed(piece)) is not None]


def _pieces(text: str) -> list[str]:
    """Cut at semicolons; blank lines stand for what is before, so that line numbers hold."""
    try:
        ends = [
            token.start for token in StreamSQL().tokenize(text) if token.token_type is TokenType.SEMICOLON
        ]
    except SqlglotError as error:
        raise QueryError(_unreadable(error)) from None
    starts = [0, *(end + 1 for end in ends)]
    return [
        "\n" * text.count("\n", 0, a) + text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True)
    ]


def _parsed(text: str) -> Statement | None:
    try:
        trees = sqlglot.parse(text, read=StreamSQL)
    except ParseError as error:
        raise _syntax_error(error) from None
    except SqlglotError as error:
        raise QueryError(_unreadable(error)) from None
    except RecursionError:
        message = "the query is nested too deeply; put its inner parts into views"
        raise QueryError(message) from None
    return _statement(trees[0], text.strip()) if trees and trees[0] is not None else None


def _statement(tree: exp.Expr, text: str) -> Statement:
    match tree:
        case exp.Select():
            return Query(tree, text)
        case exp.Create() if tree.kind == "VIEW" and isinstance(tree.this, exp.Table) and tree.expression:
            return CreateView(tree.this.name.lower(), tree.expression, text)
        case exp.Drop() if tree.args.get("kind") == "VIEW":
            return DropView(tree.args["tables"][0].name.lower())
        case exp.Describe() if isinstance(tree.this, exp.Select):
            return Explain(tree.this)
    found = tree.key.upper() if not isinstance(tree, exp.Command) else str(tree.this)
    message = f"{found} is not a statement of StreamSQL; expected {EXPECTED}"
    raise QueryError(message, span_of(tree))


def _unreadable(error: SqlglotError) -> str:
    return f"syntax error: {_plain(str(error)).lower()}; a text in quotes must end with a quote"


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n")[0]


def _syntax_error(error: ParseError) -> QueryError:
    first = error.errors[0] if error.errors else {}
    line, highlight = first.get("line"), _plain(str(first.get("highlight") or ""))
    before = " ".join(_plain(str(first.get("start_context") or "")).split())[-30:]
    at = f" at {highlight!r}" if highlight else " at the end"
    after = f", after {before!r}" if before else ""
    message = f"syntax error{at}{after}, line {line}; expected {EXPECTED}"
    column = int(first.get("col") or 0)
    return QueryError(message, Span(int(line), max(column - len(highlight), 0), column) if line else None)
