"""How long to leave a source alone between two polls.

    it worked            the usual pause
    n failures in a row  usual · 2ⁿ, at most LONGEST, of which a random part between half and all; never less
                         than what the source asked for

The random part keeps many askers of one server, all failed by the same fault, from coming back together.

References:
    Brooker. Exponential Backoff And Jitter. AWS Architecture Blog, 2015 ("equal jitter").
"""

from collections.abc import Callable
from random import Random

LONGEST = 900.0
LONGEST_ASKED = 86_400.0
DOUBLINGS = 20


class Patience:
    """Counts failures; ``usual`` is in seconds."""

    def __init__(self, usual: float, draw: Callable[[], float] | None = None) -> None:
        self._usual = usual
        self._draw = draw or Random().random
        self._failures = 0
        self.pause = usual

    def worked(self) -> None:
        self._failures, self.pause = 0, self._usual

    def failed(self, asked: float | None = None) -> None:
        """Count a failure; ``asked`` is how long the source wants to be left alone."""
        self._failures += 1
        longest = max(LONGEST, self._usual)
        most = min(longest, self._usual * 2 ** min(self._failures, DOUBLINGS))
        self.pause = max(most * (1 + self._draw()) / 2, min(asked or 0.0, LONGEST_ASKED))
