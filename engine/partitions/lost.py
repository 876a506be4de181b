"""What shares hold may be lost with whoever holds them; who uses them makes them anew, and tries again."""

from collections.abc import Callable
from typing import TypeVar

import structlog

from engine.model.errors import SourceError

TRIES = 3
T = TypeVar("T")

log = structlog.get_logger(__name__)


class Lost(Exception):
    """What shares hold is gone; ``Carrier.begin`` has fresh ones."""


def tried(what: object, attempt: Callable[[bool], T]) -> T:
    """Return what an attempt returns, which is told whether it is made again; ``what`` has the shares."""
    reason = ""
    for number in range(TRIES):
        try:
            return attempt(number > 0)
        except Lost as error:
            reason = str(error)
            note(what, error)
    times = f"{TRIES} times in a row, at last: {reason}"
    message = f"the shares of {what} were lost {times}; look after Spark's executors"
    raise SourceError(message)


def note(what: object, lost: Lost) -> None:
    log.warning("shares were lost and are made anew", of=str(what), reason=str(lost))
