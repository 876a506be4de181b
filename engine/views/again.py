"""What an operator holds elsewhere may be lost with whoever holds it; it is made anew, and the tick goes on.

lost in the middle of a tick   →   fresh shares take what the inputs held before it, untold; then the tick
"""

from collections.abc import Callable, Sequence

import structlog

from engine.model.errors import SourceError
from engine.operators.delta import Delta
from engine.operators.operator import Operator
from engine.partitions.epoch import Lost

TRIES = 3
Rows = Delta[int]

log = structlog.get_logger(__name__)


def tried(attempt: Callable[[bool], Rows]) -> Rows:
    """Return what an attempt returns, which is told whether it is made again."""
    reason = ""
    for number in range(TRIES):
        try:
            return attempt(number > 0)
        except Lost as error:
            reason = str(error)
            log.warning("a partitioned view lost what it held and begins again", reason=reason)
    message = f"its shares were lost {TRIES} times in a row, at last: {reason}; look after Spark's executors"
    raise SourceError(message)


def stepped(operator: Operator[int], changes: Sequence[Rows], before: Callable[[], Sequence[Rows]]) -> Rows:
    """Step an operator; what it lost is made of what its inputs held before these changes."""

    def attempt(is_again: bool) -> Rows:
        if is_again:
            operator.start()
            operator.step(*before())
        return operator.step(*changes)

    return tried(attempt)
