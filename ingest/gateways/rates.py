"""How many messages a second each stream says, over the last whole period.

Until the first is over it is what was said so far; a moment tells nothing.
"""

from collections import Counter

from engine.model.clock import SECOND

PERIOD = 20 * SECOND
MOMENT = 2 * SECOND


class Rates:
    """Counts of messages by stream."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._rates: dict[str, float] = {}
        self._since: int | None = None
        self._is_first = True

    def count(self, stream: str) -> None:
        self._counts[stream] += 1

    def at(self, now: int) -> dict[str, float]:
        """Return the rates, of streams that say something."""
        if self._since is None:
            self._since = now
        passed = now - self._since
        if passed >= (MOMENT if self._is_first else PERIOD):
            self._rates = {name: round(said * SECOND / passed, 3) for name, said in self._counts.items()}
        if passed >= PERIOD:
            self._since, self._is_first = now, False
            self._counts.clear()
        return self._rates
