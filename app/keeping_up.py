"""Do ticks keep up with what comes? By the last ones: how long each took, and how often one began.

takes  =  mean (closed − began)        every  =  mean time from one's end to the next one's
late   ⇔  the last tick is older than a living system's        full  ⇔  takes ≥ 0.9 · every
"""

from collections.abc import Sequence
from typing import Any

from app.tick_trace import TickTimes
from engine.model.clock import SECOND

LATE_SECONDS = 3.0
FULL = 0.9
LAST = 100


def keeping_up(ticks: Sequence[TickTimes], lag: float) -> dict[str, Any] | None:
    """Return how the last ticks went; nothing where fewer than two are known."""
    last = ticks[-LAST:]
    if len(last) < 2:
        return None
    every = (last[-1].closed - last[0].closed) / SECOND / (len(last) - 1)
    takes = sum(each.closed - each.began for each in last[1:]) / SECOND / (len(last) - 1)
    state = "late" if lag > LATE_SECONDS else "full" if takes >= FULL * every else "well"
    longest = max(each.closed - each.began for each in last) / SECOND
    return {"state": state, "behind": lag, "takes": takes, "longest": longest, "every": every}
