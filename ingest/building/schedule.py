"""Schedule time: what the clock on the simulated walls shows.

    schedule = 10:15 + (now − epoch)

Every start meets a busy mid-morning. A schedule day runs from 07:30 to 20:00; the night is left out, so
20:00 of one day is 07:30 of the next. Seconds are those since the schedule's midnight.
"""

from typing import NamedTuple

MINUTE, HOUR = 60.0, 3600.0
OPENS, CLOSES, START = 7.5 * HOUR, 20 * HOUR, 10.25 * HOUR
MICROSECONDS = 1_000_000


class Moment(NamedTuple):
    """A second of a schedule day."""

    day: int
    second: float


class Schedule:
    """Schedule time for a start at `epoch`, in microseconds of the clock everything else uses."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch

    def at(self, now: int) -> Moment:
        """Return what the schedule shows at a time."""
        day, second = divmod((now - self.epoch) / MICROSECONDS + START - OPENS, CLOSES - OPENS)
        return Moment(int(day), second + OPENS)

    def when(self, moment: Moment) -> int:
        """Return the time at which the schedule shows a moment."""
        seconds = moment.day * (CLOSES - OPENS) + moment.second - START
        return self.epoch + round(seconds * MICROSECONDS)
