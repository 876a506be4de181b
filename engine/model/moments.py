"""A moment as text, wherever one comes from: a statement, a database, a message.

    2026-01-31        2026-01-31 09:30        2026-01-31T09:30:15.5+01:00        …Z

ISO 8601's calendar dates with all their dashes; without an offset it is UTC. What it names is a
timestamp, microseconds since 1970; a finer fraction is cut.
"""

import re
from datetime import UTC, datetime, timedelta

from engine.model.clock import SECOND

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MINUTE = 60 * SECOND
STAMP = re.compile(
    r"\s*(\d{4})-(\d\d)-(\d\d)(?:[ Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?)?"
    r"(?:\s*(?:[Zz]|([+-])(\d\d):?(\d\d)?))?\s*",
    re.ASCII,
)


def to_microseconds(moment: datetime) -> int:
    """Return the timestamp of a moment that knows its zone."""
    return (moment - EPOCH) // MICROSECOND


def parsed_timestamp(text: str) -> int | None:
    """Return the timestamp; None of what is no moment, ValueError of a date that is in no calendar."""
    match = STAMP.fullmatch(text)
    if match is None:
        return None
    *parts, fraction, sign, hours, minutes = match.groups()
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    microsecond = int((fraction or "0").ljust(6, "0"))
    moment = to_microseconds(datetime(year, month, day, hour, minute, second, microsecond, UTC))
    offset = (int(hours or 0) * 60 + int(minutes or 0)) * MINUTE
    return moment + offset if sign == "-" else moment - offset
