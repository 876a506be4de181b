"""On which levels a thing is, from the texts of the tags ``level`` and ``repeat_on``.

"2"  "-1"  "1.5"      one level
"0;2"  "0, 2"         a list
"0-3"  "-2--1"        a range: from its lower end by steps of one, and its upper end
"""

import re
from decimal import Decimal

Level = Decimal
MOST = 200  # levels that one text may name
_NUMBER = r"[+-]?\d{1,4}(?:\.\d{1,3})?"
_PART = re.compile(rf"({_NUMBER})(?:\s*-\s*({_NUMBER}))?")


class LevelError(ValueError):
    """A text that names no levels; the message says what was expected."""


def levels_of(text: str) -> tuple[Level, ...]:
    """Return the levels that a text names, in order and each once."""
    found: set[Level] = set()
    for part in re.split(r"[;,]", text):
        found |= _of_part(part.strip(), text)
        if len(found) > MOST:
            message = f"{text!r:.60} names more than {MOST} levels"
            raise LevelError(message)
    return tuple(sorted(found))


def _of_part(part: str, text: str) -> set[Level]:
    match = _PART.fullmatch(part)
    if match is None:
        message = f"{text!r:.60} names no level; expected such as 0, 0;2, 0-3, 1.5 or -1"
        raise LevelError(message)
    low = high = Decimal(match[1])
    if match[2] is not None:
        low, high = sorted((low, Decimal(match[2])))
    if high - low > MOST:
        message = f"{text!r:.60} names more than {MOST} levels"
        raise LevelError(message)
    return {_plain(low + step) for step in range(int(high - low) + 1)} | {_plain(high)}


def _plain(level: Level) -> Level:
    """Return the same number in one form: 1.50 is 1.5, 10 is not 1E+1, and there is no -0."""
    return level.normalize() + 0 if level % 1 else level.quantize(Decimal(1)) + 0


def written(level: Level) -> str:
    """Return a level as it is written in a tag."""
    return f"{level:f}"


def floors_of(levels: set[Level]) -> dict[Level, int]:
    """Number levels by whole numbers in their order; where all are whole, each has its own.

    Else the ground, the least level that is not below zero, is floor 0.
    """
    ordered = sorted(levels)
    if all(level % 1 == 0 for level in ordered):
        return {level: int(level) for level in ordered}
    below = sum(level < 0 for level in ordered)
    return {level: rank - below for rank, level in enumerate(ordered)}
