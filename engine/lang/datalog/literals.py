"""Numbers and texts as they are written."""

import re

from engine.model.errors import QueryError, Span
from engine.plan.meanings import BIGINT_BOUND

ESCAPES = {
    '"': '"',
    "'": "'",
    "\\": "\\",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
BASES = {"0x": 16, "0b": 2}


def number_of(written: str, span: Span) -> int:
    """Return a number that has 64 bits; one that a minus follows is looked at again where it is used."""
    base = BASES.get(written[:2].lower(), 10)
    value = int(written[2:] if base != 10 else written, base)
    if value > BIGINT_BOUND:
        message = f"the number {written}, line {span.line}, has more than 64 bits"
        raise QueryError(message, span)
    return value


def text_of(written: str, span: Span) -> str:
    """Return what stands between the quotes."""

    def escaped(found: re.Match[str]) -> str:
        if found[1] not in ESCAPES:
            known = " ".join(f"\\{each}" for each in ESCAPES)
            message = f"unknown escape \\{found[1]}, line {span.line}; there are {known}"
            raise QueryError(message, span)
        return ESCAPES[found[1]]

    return re.sub(r"\\(.)", escaped, written[1:-1], flags=re.DOTALL)
