"""Timestamps: microseconds since the epoch, in UTC; an interval is a number of microseconds.

    timestamp ± interval → timestamp        timestamp − timestamp → interval

There is no now(): a view is a function of what was logged, and a window is what moves with time.
Parts of dates are those of the Gregorian calendar, also before it was made; of years outside
1 … 9999 they are NULL.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction

from engine.model.moments import EPOCH, MICROSECOND, to_microseconds
from engine.model.values import Type
from engine.plan.functions.function import named
from engine.plan.signatures import either, takes

BIGINT, DOUBLE, TEXT, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.TIMESTAMP
SECOND = 1_000_000
LENGTHS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": SECOND,
    "minute": 60 * SECOND,
    "hour": 3_600 * SECOND,
    "day": 86_400 * SECOND,
    "week": 604_800 * SECOND,
}
SHORT = {"sec": "second", "min": "minute", "ms": "millisecond", "us": "microsecond", "h": "hour", "d": "day"}
AMOUNT = re.compile(r"\s*([+-]?\d{1,18}(?:\.\d{1,9})?)\s*([a-z]+)", re.ASCII)


def to_datetime(at: int) -> datetime:
    return EPOCH + at * MICROSECOND


def timestamp_text(at: int) -> str:
    """Write as PostgreSQL does: no fraction where there is none, nor zeros at its end."""
    moment = to_datetime(at).replace(tzinfo=None)
    whole = moment.replace(microsecond=0).isoformat(" ")
    return f"{whole}.{moment.microsecond:06}".rstrip("0") if moment.microsecond else whole


def parsed_interval(text: str) -> int | None:
    """Read 5 minutes, 1 day 2 hours, -1.5 h; a month has no length of its own."""
    total, end = Fraction(0), 0
    text = text.lower()
    while match := AMOUNT.match(text, end):
        unit = SHORT.get(match[2], match[2].removesuffix("s"))
        if unit not in LENGTHS:
            return None
        total, end = total + Fraction(match[1]) * LENGTHS[unit], match.end()
    return round(total) if end and not text[end:].strip() else None


def part(read: Callable[[datetime], float]) -> Callable[[int], float]:
    return lambda at: read(to_datetime(at))


def second_of(moment: datetime) -> float:
    return (moment.second * SECOND + moment.microsecond) / SECOND


PARTS: dict[str, Callable[[int], float]] = {
    "hour": lambda at: at // LENGTHS["hour"] % 24,
    "minute": lambda at: at // LENGTHS["minute"] % 60,
    "day": part(lambda moment: moment.day),
    "dow": part(lambda moment: moment.isoweekday() % 7),
    "isodow": part(lambda moment: moment.isoweekday()),
    "doy": part(lambda moment: moment.timetuple().tm_yday),
    "week": part(lambda moment: moment.isocalendar().week),
    "month": part(lambda moment: moment.month),
    "quarter": part(lambda moment: (moment.month + 2) // 3),
    "year": part(lambda moment: moment.year),
}
FRACTIONS: dict[str, Callable[[int], float]] = {
    "second": part(second_of),
    "epoch": lambda at: at / SECOND,
}
TRUNCATED_BY_DATE: dict[str, Callable[[datetime], datetime]] = {
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
    "quarter": lambda day: day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
    "year": lambda day: day.replace(month=1, day=1),
}
UNITS = (*(unit for unit in LENGTHS if unit != "week"), *TRUNCATED_BY_DATE)


def truncated(unit: str, at: int) -> int | None:
    """Return the beginning of the unit that a timestamp is in."""
    unit = unit.lower()
    if unit in TRUNCATED_BY_DATE:
        day = to_datetime(at).replace(hour=0, minute=0, second=0, microsecond=0)
        return to_microseconds(TRUNCATED_BY_DATE[unit](day))
    return at - at % LENGTHS[unit] if unit in LENGTHS else None


OF_TIME = "a timestamp (its parts are UTC's)"
DECLARED = (
    *(named(name, takes(TIMESTAMP, result=BIGINT), read, OF_TIME) for name, read in PARTS.items()),
    *(named(name, takes(TIMESTAMP, result=DOUBLE), read, OF_TIME) for name, read in FRACTIONS.items()),
    named(
        "date_trunc",
        takes(TEXT, TIMESTAMP, result=TIMESTAMP),
        truncated,
        f"a unit ({', '.join(UNITS)}) and a timestamp",
    ),
    named(
        "to_timestamp",
        either(takes(BIGINT, result=TIMESTAMP), takes(DOUBLE, result=TIMESTAMP)),
        lambda seconds: seconds * SECOND if isinstance(seconds, int) else round(Fraction(seconds) * SECOND),
        "seconds since the epoch",
    ),
)
