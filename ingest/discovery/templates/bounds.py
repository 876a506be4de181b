"""How large things may grow while a template runs, and the operators that heed it.

    nodes ≤ 1,000, depth ≤ 50;  a text ≤ 100,000 characters;  an integer ≤ 1,024 bits
    a list or dictionary that a template makes: single values, ≤ 100,000 characters together
    work ≤ 2,000,000 characters: of each text, and of the whole state for each of its lists and objects, at
    each step that goes through it

Lists that hold lists could share what they hold and double with each step; a template cannot make them.
"""

import operator
import re
from typing import Any

from jinja2 import Undefined

MAX_TEMPLATE, MAX_NODES, MAX_DEPTH = 8_000, 1_000, 50
MAX_TEXT, MAX_BITS, MAX_WORK = 100_000, 1_024, 2_000_000
SINGLE = (str, int, float, bool, type(None), Undefined)

_FORMAT = re.compile(r"%(?:%|[-+ 0#]{0,3}\d{0,2}(?:\.\d{1,2})?[sdifeEgGxXou])")


class TooLargeError(ValueError):
    """What a template makes would grow beyond its bound."""


def bounded(value: Any) -> Any:
    """Return a value that is not too large."""
    if type(value) is str and len(value) > MAX_TEXT:
        msg = f"it makes a text of over {MAX_TEXT} characters"
        raise TooLargeError(msg)
    if type(value) is int and value.bit_length() > MAX_BITS:
        msg = f"it makes an integer of over {MAX_BITS} bits"
        raise TooLargeError(msg)
    return value


def times(left: Any, right: Any) -> Any:
    """Multiply numbers; a text times a number would be a way to fill memory."""
    return bounded(_number(left) * _number(right))


def power(left: Any, right: Any) -> Any:
    """Raise a number to a power."""
    base, exponent = _number(left), _number(right)
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and base.bit_length() * abs(exponent) > MAX_BITS:
        bounded(1 << MAX_BITS)
    return base**exponent


def plus(left: Any, right: Any) -> Any:
    """Add numbers, or join texts."""
    if isinstance(left, list | tuple):
        msg = "it joins lists, which is not understood"
        raise TypeError(msg)
    return bounded(left + right)


def size_of(value: Any) -> int:
    """Return how many items a list, tuple or object has; anything else is one."""
    return len(value) if isinstance(value, list | tuple | dict) else 1


def flat(values: list[Any]) -> list[Any]:
    """Return what a list, tuple or dictionary may be made of."""
    if not all(isinstance(each, SINGLE) for each in values):
        msg = "it makes a list of lists or objects, which is not understood"
        raise TypeError(msg)
    if sum(len(each) for each in values if type(each) is str) > MAX_TEXT:
        bounded(" " * (MAX_TEXT + 1))
    return values


def remainder(left: Any, right: Any) -> Any:
    """Return a remainder, or a text with values put in."""
    return put_in(left, right) if type(left) is str else left % _number(right)


def formatted(pattern: Any, *values: Any, **named: Any) -> str:
    """Put values into a text as ``%`` does."""
    return put_in(str(pattern), named or values)


def put_in(pattern: str, values: Any) -> str:
    """Put values into a text, each at most 99 wide."""
    if "%" in _FORMAT.sub("", pattern):
        msg = "it formats by something else than %s, %d, %x, %.2f and their like of at most 99 characters"
        raise TooLargeError(msg)
    return str(bounded(pattern % values))


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """Replace in a text."""
    if len(text) + text.count(old) * max(len(new) - len(old), 0) > MAX_TEXT:
        bounded(" " * (MAX_TEXT + 1))
    return text.replace(old, new, count)


def joined(parts: list[str]) -> str:
    """Join texts."""
    if sum(map(len, parts)) > MAX_TEXT:
        bounded(" " * (MAX_TEXT + 1))
    return "".join(parts)


def shown(value: Any) -> str:
    """Return a value as a template prints it."""
    return str(bounded(str(value)))


def _number(value: Any) -> Any:
    return operator.index(value) if isinstance(value, int) else operator.pos(_no_text(value))


def _no_text(value: Any) -> Any:
    if isinstance(value, str | list | tuple):
        msg = f"{type(value).__name__} is no number; convert it by float or int"
        raise TypeError(msg)
    return value
