"""What shares are told, and what they send each other.

Begin  →  Run 0  →  (Settle … Close 0)  →  Run 1  →  …            in rounds, one order to all shares each
"""

from typing import NamedTuple

from engine.operators.delta import Delta
from engine.partitions.recursion.share import Content

Rows = Delta[int]


class Mail(NamedTuple):
    """Changed rows for an input of a part."""

    part: int
    side: int
    rows: Rows


class Told(NamedTuple):
    """What is sent within a stratum."""

    part: int
    content: Content


Parcel = Mail | Told


class Begin(NamedTuple):
    """Put out what is there before anything came."""


class Run(NamedTuple):
    """Run the parts of a stage."""

    stage: int


class Settle(NamedTuple):
    """Take what strata sent each other."""


class Close(NamedTuple):
    """Put out how the strata of a stage changed."""

    stage: int


class Count(NamedTuple):
    """Say how much is held."""


Order = Begin | Run | Settle | Close | Count
