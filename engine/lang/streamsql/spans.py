"""Where a part of a query stands in its text; a node without a place has that of its descendants."""

import re
from bisect import bisect_right

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from engine.model.errors import Span

LINE_END = re.compile(r"\r\n?|\n")


def line_at(text: str, offset: int) -> int:
    """Return the number of the line that a place lies in."""
    return len(LINE_END.findall(text, 0, offset)) + 1


def blanked(text: str) -> str:
    """Return nothing but the text's size and lines, so that the places of what follows hold."""
    return re.sub(r"[^\r\n]", " ", text)


def number_lines(tokens: list[Token], text: str) -> list[Token]:
    """Number the lines of tokens by their places."""
    ends = [found.end() for found in LINE_END.finditer(text)]
    for token in tokens:
        token.line = bisect_right(ends, token.start) + 1
    return tokens


def span_of(node: exp.Expr | None) -> Span | None:
    """Return the span that covers a node and everything below it."""
    if node is None:
        return None
    placed = [n.meta for n in node.walk() if "start" in n.meta]
    if not placed:
        return None
    first = min(placed, key=lambda meta: meta["start"])
    return Span(first["line"], first["start"], max(meta["end"] for meta in placed) + 1)


def where(node: exp.Expr | None, clause: str) -> str:
    """Return « in select, line 1», as errors end."""
    span = span_of(node)
    return f" in {clause}, line {span.line}" if span else f" in {clause}"


def on_line(node: exp.Expr | None) -> str:
    """Return «, line 1»."""
    span = span_of(node)
    return f", line {span.line}" if span else ""


def shown(node: exp.Expr) -> str:
    """Return the beginning of a node's text."""
    try:
        text = node.sql(dialect="streamsql")
    except Exception:  # sqlglot's writer has no text for some nodes, and stops anywhere on a strange one
        text = node.key.upper()
    return text if len(text) <= 40 else f"{text[:39]}…"
