"""Functions that Datalog needs beside those of SQL: of whole numbers and their bits, of records, of texts.

    pack(x, y)    the record (x, y)                part(r, i)    its field i, from 0
    natural(n)    n where it is not below zero     quotient      whole division, towards zero

A record is a tuple, and its type is said where it is made or taken apart; what is declared here of its
parts is that of a list. No text calls these functions by their names.
"""

from hashlib import blake2b
from typing import Any

from engine.model.values import Type, Value
from engine.plan.functions.function import Function
from engine.plan.meanings import BIGINT_BOUND, Meaning, strict
from engine.plan.regular import matches
from engine.plan.signatures import ANY, LIST, takes

BIGINT, DOUBLE, TEXT, BOOLEAN = Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.BOOLEAN
SHIFT_MASK = 63
WORD = 2**64
WHOLE = takes(BIGINT, BIGINT, result=BIGINT)
TESTED = takes(TEXT, TEXT, result=BOOLEAN)


def wrapped(value: int) -> int:
    """The low 64 bits, the highest of them the sign."""
    return (value + BIGINT_BOUND) % WORD - BIGINT_BOUND


def quotient(left: int, right: int) -> int:
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def whole_power(base: int, exponent: int) -> int | None:
    """A power that is a whole number; of a negative exponent only that of 1 and -1 is."""
    if exponent < 0:
        return None if abs(base) != 1 else base if exponent % 2 else 1
    if abs(base) > 1 and exponent > SHIFT_MASK:
        return None
    return int(base**exponent)


def natural(number: int) -> int | None:
    return number if number >= 0 else None


def part(record: Value, position: int) -> Value:
    """A field, if there is one: another branch may have a plain value in that place."""
    return record[position] if isinstance(record, tuple) and 0 <= position < len(record) else None


def cut(text: str, start: int, length: int) -> str:
    """The part of a text from a place, counted from 0; beyond its end there is nothing."""
    if not 0 <= start <= len(text):
        return ""
    return text[start:] if length < 0 else text[start : start + length]


def number_of(text: str) -> int:
    """A number of the text's own, the same in every run; its order means nothing."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 1


def bitwise(name: str, function: Meaning, count: int = 2) -> Function:
    template = f"{name} {{0}}" if count == 1 else f"({{0}} {name} {{1}})"
    signature = takes(*[BIGINT] * count, result=BIGINT)
    return Function(name, signature, strict(function), "whole numbers", template)


def packed(*values: Any) -> Value:
    return values


DECLARED = (
    Function("pack", takes(ANY, result=LIST, rest=ANY), packed, "the parts of a record", "[{all}]"),
    Function("part", takes(LIST, BIGINT, result=ANY), strict(part), "a record and a position", "{0}.{1}"),
    Function("natural", takes(BIGINT, result=BIGINT), strict(natural), "an integer", "{0}"),
    Function("quotient", WHOLE, strict(quotient), "two integers", "({0} / {1})"),
    Function("whole_power", WHOLE, strict(whole_power), "two integers", "({0} ^ {1})"),
    Function("truncated", takes(DOUBLE, result=BIGINT), strict(int), "a number", "ftoi({0})"),
    Function(
        "cut",
        takes(TEXT, BIGINT, BIGINT, result=TEXT),
        strict(cut),
        "a text and two integers",
        "substr({all})",
    ),
    Function("number_of", takes(TEXT, result=BIGINT), strict(number_of), "a text", "ord({0})"),
    Function("matches", TESTED, strict(matches), "a pattern and a text", "match({all})"),
    Function("holds_text", TESTED, strict(lambda a, b: a in b), "two texts", "contains({all})"),
    bitwise("band", lambda a, b: a & b),
    bitwise("bor", lambda a, b: a | b),
    bitwise("bxor", lambda a, b: a ^ b),
    bitwise("bshl", lambda a, n: wrapped(a << (n & SHIFT_MASK))),
    bitwise("bshr", lambda a, n: a >> (n & SHIFT_MASK)),
    bitwise("bshru", lambda a, n: wrapped((a % WORD) >> (n & SHIFT_MASK))),
    bitwise("bnot", lambda a: ~a, 1),
    bitwise("land", lambda a, b: int(bool(a) and bool(b))),
    bitwise("lor", lambda a, b: int(bool(a) or bool(b))),
    bitwise("lxor", lambda a, b: int(bool(a) != bool(b))),
    bitwise("lnot", lambda a: int(not a), 1),
)
