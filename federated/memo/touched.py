"""How much of the graph a pass computed."""

from typing import NamedTuple


class Touched(NamedTuple):
    """Or nodes whose least cost was looked at, and nodes whose cost was computed."""

    ors: int
    ands: int


NOTHING = Touched(0, 0)
