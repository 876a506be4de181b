"""What a running view did in place of what: its joins in another order, its parts at other sites.

by 12:04   (w ⋈ near) ⋈ s    420 rows handled a tick, by what was seen
 ↓         w ⋈ (near ⋈ s)     78                        423 rows came of w ⋈ near, 21 were expected
"""

from typing import NamedTuple


class Surprise(NamedTuple):
    """A node of which there were far more rows, or fewer, than its inputs had led to expect."""

    what: str
    expected: float
    rows: float


class Compared(NamedTuple):
    """Two plans of one query, by what only one of them does; and what of the first was not as expected."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    surprises: tuple[Surprise, ...] = ()


class Turn(NamedTuple):
    """A change of a running plan: when, from what to what, and what a tick was to cost by either.

    ``promised`` is what the plan that was left was to cost when it was taken, if it was a choice of then;
    ``now`` what it cost by what was seen, ``then`` what the other was to cost, ``builds`` what had to be
    built for it; all in rows handled.
    """

    tick: int
    at: int
    compared: Compared
    promised: float | None
    now: float
    then: float
    builds: float
