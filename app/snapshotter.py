"""Takes a snapshot of the engine every few seconds, and has the log go that none needs any more.

    image (between two ticks) → bytes and commit (here, in the background) → trim below the oldest kept

A start reads the newest snapshot that can be read, and the log's tail after it.
"""

import threading
from collections.abc import Callable

import structlog

from engine.model.clock import Clock
from engine.model.errors import SmartCISError
from engine.service import Engine
from engine.views.checkpoint import Image, from_bytes, to_bytes
from ingest.snapshots import KEPT, Snapshots, StoredSnapshot

PERIOD_SECONDS = 10.0
TRIM_EVERY = 30

logger = structlog.get_logger()


class Snapshotter:
    """A thread that keeps the way back short; ``settle`` waits until what is up to an offset is recorded."""

    def __init__(
        self,
        engine: Engine,
        snapshots: Snapshots,
        clock: Clock,
        settle: Callable[[int], bool] = lambda _offset: True,
    ) -> None:
        self._engine = engine
        self._snapshots = snapshots
        self._clock = clock
        self._settle, self._was_settled = settle, True
        self._saved_tick = -1
        self.problem = ""
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, trim: Callable[[], object]) -> None:
        self._thread = threading.Thread(target=self._serve, args=(trim,), name="snapshots", daemon=True)
        self._thread.start()

    def save(self) -> None:
        """Commit a snapshot of now; return when it is durable."""
        with self._lock:
            image = self._engine.image()
            if image.tick == self._saved_tick:
                return
            is_settled = self._settle(image.offset)
            if not is_settled and self._was_settled:
                logger.warning("snapshots are ahead of the past that is recorded", tick=image.tick)
            self._was_settled = is_settled
            taken_at = self._clock.now()
            self._snapshots.save(StoredSnapshot(image.tick, image.offset, taken_at, to_bytes(image)))
            self._saved_tick = image.tick

    def stop(self) -> None:
        self._ending.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _serve(self, trim: Callable[[], object]) -> None:
        turn = 0
        while not self._ending.wait(PERIOD_SECONDS):
            turn += 1
            try:
                self.save()
                self.problem = ""
                if turn % TRIM_EVERY == 0:
                    trim()
            except Exception as error:
                if str(error) != self.problem:
                    logger.warning("snapshot failed", error=str(error))
                self.problem = str(error)


def newest_readable(snapshots: Snapshots, recorded: int = 0) -> Image | None:
    """Return the newest snapshot that can be read, or nothing where there is none.

    One up to which the past is recorded comes before a newer one: from there on nothing is missed.
    """
    kept = [stored for nth in range(KEPT) if (stored := snapshots.latest(nth)) is not None]
    for stored in sorted(kept, key=lambda one: one.offset > recorded):
        try:
            return from_bytes(stored.body)
        except SmartCISError as error:
            logger.warning("snapshot cannot be read", tick=stored.tick, error=error.message)
    return None
