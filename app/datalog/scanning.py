"""What stands at a place of a text: numbers, symbols, signs, and what was expected there instead.

Every function takes where to begin and returns where what follows begins; ``shift`` is how many
characters of the line stand before the text, for the column that an error tells.
"""

import json
import math
import re
from typing import NamedTuple

from engine.lang.datalog.types import indefinite
from engine.model.values import Value

SPACE = re.compile(r"\s*")
WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)(?![\w.])")
REAL = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?(?![\w.])")
QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
BARE = re.compile(r"[^,\]\)]*")
NAME = re.compile(r"[^\W\d][\w?]*|\?[\w?]+")
LEAST, MOST = -(2**63), 2**63 - 1
SHOWN = 30
PLAIN = {"number": "a number", "unsigned": "an unsigned number", "float": "a float", "symbol": "a symbol"}


class Malformed(Exception):
    """What stands at a column, from 1, of a text is not what is expected there."""

    def __init__(self, column: int, found: str, expected: str) -> None:
        shown = found if len(found) <= SHOWN else f"{found[: SHOWN - 1]}…"
        super().__init__(f"column {column}: found {shown or 'the end'}, expected {expected}")


class Place(NamedTuple):
    """A value that was read, and where what follows it begins."""

    value: Value
    end: int


def after_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def expected(text: str, at: int, sign: str, shift: int, what: str = "") -> int:
    """Return where what follows a sign begins."""
    at = after_space(text, at)
    if not text.startswith(sign, at):
        raise Malformed(shift + at + 1, text[at:], what or sign)
    return at + len(sign)


def symbol(text: str, at: int, shift: int, *, is_program: bool) -> Place:
    found = QUOTED.match(text, at)
    if found is not None:
        try:
            return Place(json.loads(found[0]), found.end())
        except ValueError:
            raise Malformed(
                shift + at + 1, found[0], 'a symbol whose escapes are \\", \\\\, \\n or \\t'
            ) from None
    if is_program:
        raise Malformed(shift + at + 1, text[at:], 'a symbol in quotes: "…"')
    bare = BARE.match(text, at)
    return Place(bare[0].strip(), bare.end()) if bare else Place("", at)


def whole(text: str, at: int, kind: str, shift: int) -> Place:
    found = WHOLE.match(text, at)
    least = 0 if kind == "unsigned" else LEAST
    number = int(found[0], 0 if found[1][:2].lower() in ("0x", "0b") else 10) if found else None
    if found is None or number is None or not least <= number <= MOST:
        bounds = " below 2^63" if found and number is not None and number > MOST else ""
        raise Malformed(shift + at + 1, found[0] if found else text[at:], described(kind) + bounds)
    has_mark = kind == "unsigned" and text.startswith("u", found.end())
    return Place(number, found.end() + has_mark)


def real(text: str, at: int, shift: int) -> Place:
    found = REAL.match(text, at)
    number = float(found[0]) if found else math.inf
    if found is None or math.isinf(number):
        raise Malformed(shift + at + 1, found[0] if found else text[at:], described("float"))
    return Place(0.0 if number == 0.0 else number, found.end())


def described(kind: str) -> str:
    return PLAIN.get(kind) or indefinite(kind)


def counted(number: int) -> str:
    return f"{number} value{'' if number == 1 else 's'}"
