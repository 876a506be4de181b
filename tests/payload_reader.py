"""A second reader of JSON, written from the grammar of RFC 8259 and sharing nothing with Python's.

Numbers stay texts, so that whoever asks can say exactly what they are. What Python's reader bounds is
bounded here too: 4,300 digits of an integer.
"""

import re
from fractions import Fraction
from typing import Any

MOST_NESTED, MOST_DIGITS = 100, 4_300
SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
SPACE = re.compile(r"[ \t\n\r]*")
PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
HEX = re.compile(r"[0-9a-fA-F]{4}")
FAR = 400


class Refused(Exception):
    """It is no JSON, or beyond the bounds."""


class Number(str):
    """A number as it is written."""

    __slots__ = ()

    @property
    def is_whole(self) -> bool:
        return not set(self) & set(".eE")


def read(text: str) -> Any:
    """Return what a text says, or raise Refused."""
    found, at = _value(text, _skip(text, 0), 0)
    if _skip(text, at) != len(text):
        raise Refused
    return found


def _skip(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > MOST_NESTED:
        raise Refused
    first = text[at : at + 1]
    if first == '"':
        return _string(text, at + 1)
    if first in ("[", "{") and first:
        return (_array if first == "[" else _object)(text, at + 1, depth + 1)
    for word, value in (("true", True), ("false", False), ("null", None)):
        if text.startswith(word, at):
            return value, at + len(word)
    match = NUMBER.match(text, at)
    if match is None or (Number(match[0]).is_whole and len(match[0].lstrip("-")) > MOST_DIGITS):
        raise Refused
    return Number(match[0]), match.end()


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    if depth > MOST_NESTED:
        raise Refused
    at = _skip(text, at)
    if text.startswith("]", at):
        return found, at + 1
    while True:
        value, at = _value(text, _skip(text, at), depth)
        found.append(value)
        at = _skip(text, at)
        if text.startswith("]", at):
            return found, at + 1
        at = _expect(text, at, ",")


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    if depth > MOST_NESTED:
        raise Refused
    at = _skip(text, at)
    if text.startswith("}", at):
        return found, at + 1
    while True:
        key, at = _string(text, _expect(text, _skip(text, at), '"'))
        at = _skip(text, _expect(text, _skip(text, at), ":"))
        found[key], at = _value(text, at, depth)
        at = _skip(text, at)
        if text.startswith("}", at):
            return found, at + 1
        at = _expect(text, at, ",")


def _expect(text: str, at: int, sign: str) -> int:
    if not text.startswith(sign, at):
        raise Refused
    return at + 1


def _string(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    while True:
        match = PLAIN.match(text, at)
        assert match is not None
        parts.append(match[0])
        at = match.end()
        if text.startswith('"', at):
            return _paired("".join(parts)), at + 1
        at = _expect(text, at, "\\")
        if text[at : at + 1] == "u" and (digits := HEX.match(text, at + 1)):
            parts.append(chr(int(digits[0], 16)))
            at += 5
        elif text[at : at + 1] in SHORT and at < len(text):
            parts.append(SHORT[text[at]])
            at += 1
        else:
            raise Refused


def _paired(text: str) -> str:
    """Join surrogates that stand together; a lone one stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def nearest(number: str) -> float:
    """Return the double nearest to a number that is written, infinite beyond them, by whole numbers alone."""
    head, _, exponent = number.lower().partition("e")
    whole, _, part = head.partition(".")
    digits = (whole + part).lstrip("+-").lstrip("0")
    magnitude = int(exponent or 0) - len(part) + len(digits)
    sign = -1.0 if number.lstrip().startswith("-") else 1.0
    if not digits or magnitude < -FAR:
        return 0.0
    if magnitude > FAR:
        return sign * float("inf")
    exact = Fraction(int(digits)) * Fraction(10) ** (int(exponent or 0) - len(part))
    try:
        return sign * (exact.numerator / exact.denominator)
    except OverflowError:
        return sign * float("inf")
