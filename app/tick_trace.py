"""What the last ticks took: for /api/ticks, for /metrics, for whoever asks where the time goes.

began ─operators, deltas told, other plans sought→ closed
                                rows: readings that fragments took        at: stamp of the last entry read
"""

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from app.progress import Progress
from engine.model.clock import SECOND, Clock
from engine.model.reading import Reading
from engine.plan.leaves import StreamFragment
from engine.service import Engine

KEPT = 2_000


class TickTimes(NamedTuple):
    """One tick; ``began`` and ``closed`` are of the machine's clock, ``at`` of the log's."""

    tick: int
    offset: int
    at: int
    rows: int
    began: int
    closed: int


class TickTrace:
    """Hands ticks to the engine, remembers what they took and has the acquisition know how far they are."""

    def __init__(self, engine: Engine, clock: Clock, state: Path | None = None) -> None:
        self._engine, self._progress = engine, Progress(state) if state is not None else None
        self._clock = clock
        self._kept: deque[TickTimes] = deque(maxlen=KEPT)
        self._seconds = 0.0
        self._rows = 0

    def advance(self, end: int, at: int, rows: Mapping[StreamFragment, Sequence[Reading]]) -> None:
        """Close a tick."""
        began = self._clock.now()
        self._engine.advance(end, at, rows)
        closed = self._clock.now()
        if self._progress is not None:
            self._progress.tell(end, closed)
        taken = sum(map(len, rows.values()))
        self._kept.append(TickTimes(self._engine.stamp().tick, end, at, taken, began, closed))
        self._seconds += (closed - began) / SECOND
        self._rows += taken

    def last(self) -> list[TickTimes]:
        """Return the last ticks, oldest first."""
        return list(self._kept)

    def totals(self) -> Mapping[str, float]:
        """Return counters since the start."""
        return {"smartcis_operator_seconds": self._seconds, "smartcis_rows_taken": self._rows}
