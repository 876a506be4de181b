"""What shares are told, and what they send each other.

a plan    Begin  →  Run 0  →  (Settle … Close 0)  →  Run 1  →  …      in rounds, one order to all shares each
a leaf    Advance  →  Advance  →  …                                   Say, Keep and Count whenever asked
a range   Scan  →  Look, until it is read  →  Collect, until all is told  →  Scan  →  …
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.model.reading import Reading
from engine.operators.delta import Delta
from engine.partitions.hashing import Partition
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


class Came(NamedTuple):
    """What came for a leaf."""

    readings: Sequence[Reading]


class Restored(NamedTuple):
    """What a share of a leaf is to hold, packed (``leaves.pieces``)."""

    piece: bytes


Parcel = Mail | Told | Came | Restored


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


class Advance(NamedTuple):
    """Take what came for a leaf, as of a time."""

    now: int


class Say(NamedTuple):
    """Put out all that some shares of a leaf contain."""

    partitions: Sequence[Partition]


class Keep(NamedTuple):
    """Pack the states of some shares of a leaf."""

    partitions: Sequence[Partition]


class Scan(NamedTuple):
    """Begin to read a range, as of a moment that has a name; what was found last is in the log, or is not."""

    moment: str
    is_logged: bool


class Look(NamedTuple):
    """Say whether it is read."""


class Collect(NamedTuple):
    """Put out the next part of what changed in one range, nothing after the last."""

    partition: Partition


Order = Begin | Run | Settle | Close | Count | Advance | Say | Keep | Scan | Look | Collect


class LeafTold(NamedTuple):
    """How many rows a share of a leaf holds, which of them came late or wait, and whether it was answered."""

    rows: int
    late: int = 0
    waiting: int = 0
    is_answered: bool = True
    piece: bytes = b""
