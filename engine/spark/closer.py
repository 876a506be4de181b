"""Ticks close beside Spark: while one is closed, the next is read.

    Spark:    bring n ──▶ bring n+1 ──▶ bring n+2 …
    closer:             close n ──▶ close n+1 …            one at a time, in order, at most one waits

A tick's latency stays, and as many more fit into a second as reading takes less than both together.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class Closer(Generic[T]):
    """Closes ticks one after the other; after one that failed nothing is taken until ``begin``."""

    def __init__(self, close: Callable[[T], None], failed: Callable[[], None]) -> None:
        self._close = close
        self._failed = failed
        self._thread = ThreadPoolExecutor(1, "tick")
        self._at_hand: Future[None] | None = None

    def give(self, tick: T) -> None:
        """Hand a tick in; returns once the one before is closed, and raises what that one failed of."""
        self.settle()
        self._at_hand = self._thread.submit(self._close, tick)
        self._at_hand.add_done_callback(self._ended)

    def settle(self) -> None:
        """Return when the tick at hand is closed; raise what it failed of."""
        if self._at_hand is not None:
            self._at_hand.result()

    def begin(self) -> None:
        """Forget the tick at hand, once it has ended."""
        if self._at_hand is not None:
            self._at_hand.exception()
        self._at_hand = None

    def end(self) -> None:
        """Let the tick at hand close; no other comes."""
        self._thread.shutdown()

    def _ended(self, tick: "Future[None]") -> None:
        if tick.exception() is not None:
            self._failed()
