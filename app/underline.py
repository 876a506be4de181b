"""A wrong text with the part underlined that an error speaks of.

SELECT rom FROM readings
       ^^^
unknown column rom in select, line 1; readings has room, value, at
"""

import unicodedata
from collections.abc import Iterator, Mapping

LINE_ENDS = "\r\n"


def underlined(text: str, span: Mapping[str, int] | None) -> Iterator[str]:
    """Yield the line of a text that a span begins in, and marks below the part; nothing without a span."""
    if span is None or not 0 <= span["start"] <= len(text):
        return
    start = span["start"]
    begin = max(text.rfind(end, 0, start) for end in LINE_ENDS) + 1
    end = min((place for end in LINE_ENDS if (place := text.find(end, start)) >= 0), default=len(text))
    before, part = text[begin:start], closed(text[start : min(span["end"], end)], text[span["end"] : end])
    yield printable(text[begin:end])
    yield "".join("\t" if sign == "\t" else " " * width(sign) for sign in before) + "^" * max(width(part), 1)


def closed(part: str, after: str) -> str:
    """Return a part with the brackets that end it, of which no name in it tells."""
    while part.count("(") > part.count(")") and after.startswith(")"):
        part, after = part + ")", after[1:]
    return part


def width(text: str) -> int:
    """Count the cells that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def printable(text: str) -> str:
    """Replace what could steer a terminal; tabs stay."""
    return "".join(sign if sign.isprintable() or sign == "\t" else "\ufffd" for sign in text)
