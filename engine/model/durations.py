"""Durations as people write them: a number and a unit. A duration is an integer, microseconds.

5 MINUTES  ↔  300_000_000
"""

import re
from decimal import Decimal

UNITS = {
    "WEEK": 604_800_000_000,
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MILLISECOND": 1_000,
    "MICROSECOND": 1,
}
DURATION = re.compile(r"\s*(\d{1,18}(?:\.\d{1,18})?)\s*([A-Za-z]+)\s*")


def shown_duration(microseconds: int) -> str:
    """Return the text, in the largest unit of which it is a whole number."""
    unit = next(unit for unit, length in UNITS.items() if microseconds % length == 0)
    return f"{microseconds // UNITS[unit]} {unit}S"


def scale_of(unit: str) -> int | None:
    """Return how long a unit is, singular or plural, in any case."""
    return UNITS.get(unit.upper().removesuffix("S"))


def read_duration(text: str) -> int | None:
    """Return the duration that a text says, if it says one."""
    match = DURATION.fullmatch(text)
    scale = scale_of(match[2]) if match else None
    return None if match is None or scale is None else int(Decimal(match[1]) * scale)
