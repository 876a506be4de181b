"""From what a question about a stretch of time is answered, and in which points.

    the coarsest of hours, minutes, turns that gives a quarter of the points wanted; coarser still where
    that many series would be too much to read

    24 hours, 2,000 points   →  1,440 minutes        30 days, 2,000 points  →  720 hours
    10 minutes, 500 points   →  the turns, in 500 points of 1.2 s

Points are multiples of their width since 1970, so that what is asked again a second later has the same ones.
"""

from typing import NamedTuple

from engine.model.durations import UNITS

TURNS, MINUTE, HOUR = 0, UNITS["MINUTE"], UNITS["HOUR"]
ENOUGH = 4
MOST_PIECES = 100_000


class Grid(NamedTuple):
    """``level`` is the width of what is read, 0 for turns; ``width`` that of a point."""

    start: int
    end: int
    width: int
    level: int

    @property
    def points(self) -> int:
        return -(-(self.end - self.start) // self.width)


def grid_of(start: int, end: int, points: int, series: int = 1, finest: int = TURNS) -> Grid:
    """Return the points that answer ``[start, end)``, at most ``points`` of them: the edges may add one."""
    span, width = end - start, -(-(end - start) // max(points - 1, 1))
    level = next((width for width in (HOUR, MINUTE) if span * ENOUGH >= width * points), TURNS)
    level = max(level, finest)
    if level == MINUTE and span // MINUTE * series > MOST_PIECES:
        level = HOUR
    unit = level or 1
    width = -(-width // unit) * unit
    return Grid(start // width * width, -(-end // width) * width, width, level)
