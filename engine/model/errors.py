"""Errors, sorted by who must act. A message is one line: what, found, expected, the nearest remedy."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple


class Span(NamedTuple):
    """Where in a query's text: lines from 1, characters from 0."""

    line: int
    start: int
    end: int


class SmartCISError(Exception):
    """What a person may be shown as it is."""

    @property
    def message(self) -> str:
        """One line, in which nothing that came from outside can steer a terminal."""
        line = " ".join(str(self).split())
        return "".join(character if character.isprintable() else "\ufffd" for character in line)


class QueryError(SmartCISError):
    """Whoever wrote the query must act."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span = span


class SourceError(SmartCISError):
    """The outside must act; what failed is tried again."""


class PlanError(SmartCISError):
    """The query is valid, but no site can run it."""


class InternalError(SmartCISError):
    """We must act."""


def some_of(names: Sequence[str], most: int = 12) -> str:
    """List names for a message, as many as somebody reads."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + more


def nearest(word: str, choices: Sequence[str]) -> str:
    """Return ``; did you mean X?`` or nothing."""
    close = get_close_matches(word, choices, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""
