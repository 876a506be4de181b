"""What was learned of sets of inputs, believed less and less once no plan runs them any more.

    δ′(S)      =  δ(S) ^ 2^(−n)              n: whole half-lives since S was seen last
    half-life  =  HALF_LIFE · 2^trials       trials: how often S was seen again after it had faded,
                                             none once it ran for longer than its half-life

So a tree that was bad once is tried again, things may be other by now; and where they are not, that
happens O(log T) times in T ticks, for each trial in vain doubles the time to the next.
"""

from collections.abc import Mapping
from typing import NamedTuple

HALF_LIFE = 500
FORGOTTEN = 8
"""Half-lives after which a factor of a thousand is one of 1.03: nothing is left to fade."""


class Learned(NamedTuple):
    """A set's factor, since when it is seen, in how many ticks it fades by half, and how often it did."""

    factor: float
    since: int
    half_life: int
    halved: int = 0

    def believed(self) -> float:
        return float(self.factor**0.5**self.halved)

    def again(self, factor: float, now: int) -> "Learned":
        """Return the same seen again."""
        if self.halved:
            return Learned(factor, now, self.half_life * 2)
        lasted = now - self.since > self.half_life
        return Learned(factor, self.since, HALF_LIFE if lasted else self.half_life)


class Factors:
    """The factors of one join's sets."""

    def __init__(self) -> None:
        self._learned: dict[int, Learned] = {}

    def __contains__(self, mask: int) -> bool:
        return mask in self._learned

    def see(self, mask: int, factor: float, now: int) -> None:
        """Take in the factor of a set that runs."""
        held = self._learned.get(mask)
        self._learned[mask] = held.again(factor, now) if held else Learned(factor, now, HALF_LIFE)

    def fade(self, idle: Mapping[int, int]) -> bool:
        """Take in for how many ticks sets were not seen; tell whether any faded by that."""
        has_faded = False
        for mask, ticks in idle.items():
            held = self._learned.get(mask)
            if held is not None and held.halved < (halved := min(ticks // held.half_life, FORGOTTEN)):
                self._learned[mask], has_faded = held._replace(halved=halved), True
        return has_faded

    def believed(self) -> dict[int, float]:
        """Return the factors as they are believed by now."""
        return {mask: held.believed() for mask, held in self._learned.items()}
