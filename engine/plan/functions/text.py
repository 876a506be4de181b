"""Texts, by code points, counted from 1.

A text that would be longer than a million characters is NULL: functions in functions would else fill
the memory from one short row.
"""

import operator
from collections.abc import Callable

from engine.model.values import Type, Value
from engine.plan.functions.function import Function, everywhere, knowing, named
from engine.plan.meanings import strict
from engine.plan.signatures import SHOWN, either, takes

BIGINT, BOOLEAN, TEXT = Type.BIGINT, Type.BOOLEAN, Type.TEXT
LONGEST = 1_000_000
SURROGATES = range(0xD800, 0xE000)
LAST_CHARACTER = 0x10FFFF


def kept(length: int) -> None:
    """Refuse what would be too long."""
    if length > LONGEST:
        message = f"a text of {length} characters"
        raise ValueError(message)


def joined(*parts: str) -> str:
    kept(sum(map(len, parts)))
    return "".join(parts)


all_joined: Callable[..., Value] = strict(joined)


def concatenated(*parts: Value) -> Value:
    """NULLs are left out."""
    return all_joined(*[part for part in parts if part is not None])


def concatenated_with(separator: Value, *parts: Value) -> Value:
    known = [part for part in parts if part is not None]
    between = [each for part in known for each in (separator, part)][1:]
    return None if separator is None else all_joined(*between)


def substring(text: str, start: int, length: int | None = None) -> str | None:
    """The places start … start + length - 1, as far as there are any."""
    if length is None:
        return text[max(start - 1, 0) :]
    return text[max(start - 1, 0) : max(start - 1 + length, 0)] if length >= 0 else None


def left(text: str, count: int) -> str:
    return text[:count] if count >= 0 else text[: max(len(text) + count, 0)]


def right(text: str, count: int) -> str:
    return text[max(len(text) - count, 0) :] if count >= 0 else text[-count:]


def replace(text: str, old: str, new: str) -> str:
    if not old:
        return text
    kept(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def translate(text: str, old: str, new: str) -> str:
    """Each character of ``old`` becomes that at its place in ``new``, or goes."""
    table: dict[int, str] = {}
    for place, character in enumerate(old):
        table.setdefault(ord(character), new[place : place + 1])
    return text.translate(table)


def split_part(text: str, separator: str, number: int) -> str | None:
    parts = text.split(separator) if separator else [text]
    if number == 0:
        return None
    place = number - 1 if number > 0 else len(parts) + number
    return parts[place] if 0 <= place < len(parts) else ""


def padding(length: int, missing: int, fill: str) -> str:
    kept(length)
    return (fill * (missing // len(fill) + 1))[:missing] if fill and missing > 0 else ""


def padded_left(text: str, length: int, fill: str = " ") -> str:
    return padding(length, length - len(text), fill) + text[: max(length, 0)]


def padded_right(text: str, length: int, fill: str = " ") -> str:
    return text[: max(length, 0)] + padding(length, length - len(text), fill)


def repeat(text: str, times: int) -> str:
    kept(len(text) * times)
    return text * times


def initcap(text: str) -> str:
    """Every word with a capital; a word is letters and digits."""
    before = " " + text
    return "".join(c.lower() if b.isalnum() else c.upper() for b, c in zip(before, text, strict=False))


def character(number: int) -> str | None:
    is_one = 0 < number <= LAST_CHARACTER and number not in SURROGATES
    return chr(number) if is_one else None


def stripped(strip: Callable[[str, str], str]) -> Callable[..., str]:
    return lambda text, characters=" ": strip(text, characters)


ONE = takes(TEXT, result=TEXT)
TO_NUMBER = takes(TEXT, result=BIGINT)
TWO = takes(TEXT, TEXT, result=BOOLEAN)
COUNTED = takes(TEXT, BIGINT, result=TEXT)
PAD = either(COUNTED, takes(TEXT, BIGINT, TEXT, result=TEXT))
TRIM = either(ONE, takes(TEXT, TEXT, result=TEXT))
THREE = takes(TEXT, TEXT, TEXT, result=TEXT)
TRIMMED = "a text and, if wanted, the characters to take away"
PADDED = "a text, a length and, if wanted, what to fill it with"

DECLARED = (
    Function(
        "||",
        either(takes(TEXT, SHOWN, result=TEXT), takes(SHOWN, TEXT, result=TEXT)),
        strict(operator.add),
        "a text and a value, or lists",
        "({0} || {1})",
        everywhere("({0} || {1})"),
    ),
    knowing("concat", takes(SHOWN, result=TEXT, rest=SHOWN), concatenated, "values"),
    knowing(
        "concat_ws", takes(TEXT, SHOWN, result=TEXT, rest=SHOWN), concatenated_with, "a separator and values"
    ),
    named("upper", ONE, str.upper, "a text"),
    named("lower", ONE, str.lower, "a text"),
    named("initcap", ONE, initcap, "a text"),
    named("reverse", ONE, lambda text: text[::-1], "a text"),
    named("length", TO_NUMBER, len, "a text").at(database="length({0})", sqlite="ours_length({0})"),
    named("ascii", TO_NUMBER, lambda text: ord(text[0]) if text else 0, "a text"),
    named("chr", takes(BIGINT, result=TEXT), character, "the number of a character"),
    named(
        "substring",
        either(COUNTED, takes(TEXT, BIGINT, BIGINT, result=TEXT)),
        substring,
        "a text, a place and, if wanted, a length",
    ),
    named("strpos", takes(TEXT, TEXT, result=BIGINT), lambda text, part: text.find(part) + 1, "two texts").at(
        database="strpos({all})", sqlite="ours_strpos({all})"
    ),
    named("left", COUNTED, left, "a text and a number"),
    named("right", COUNTED, right, "a text and a number"),
    named("btrim", TRIM, stripped(str.strip), TRIMMED),
    named("ltrim", TRIM, stripped(str.lstrip), TRIMMED),
    named("rtrim", TRIM, stripped(str.rstrip), TRIMMED),
    named("replace", THREE, replace, "a text, what to find and what to put there"),
    named("translate", THREE, translate, "a text, characters and what they become"),
    named(
        "split_part", takes(TEXT, TEXT, BIGINT, result=TEXT), split_part, "a text, a separator and a number"
    ),
    named("lpad", PAD, padded_left, PADDED),
    named("rpad", PAD, padded_right, PADDED),
    named("repeat", COUNTED, repeat, "a text and a number"),
    named("starts_with", TWO, str.startswith, "two texts").at(
        database="starts_with({all})", sqlite="ours_starts_with({all})"
    ),
    named("ends_with", TWO, str.endswith, "two texts"),
)
