"""What is known of the parts of plans: how many rows they hold or put out, and how many change in a tick.

    rows′    =  rows + α · (seen − rows)                   α = 0.2, so that one odd tick changes no plan
    change′  =  change + α · (Δchanged / Δticks − change)
    told     =  what the optimizer is told: as observed when that was last off by more than the dead-band,
                and a change by more than it is off from its own mean from tick to tick

Any node that runs is observed, an input of a join or what comes out of it; of a leaf that does not run
something is guessed, of anything else ``cost`` derives it. What is told stays the same while little
moves: ``version`` counts how often something did, so that whoever depends on it need not look.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, chapter 5; the dead-band is
    ours: without one every leaf moves in every tick.
"""

from math import exp, inf

from engine.plan.leaves import Leaf, Shipped, Table
from engine.plan.physical import Physical
from engine.plan.windows import Range, Rows

GUESS_TABLE = 200
GUESS_PARTITIONS = 100
GUESS_PER_SECOND = 10.0
GUESS_UNBOUNDED = 10_000
PREDICATE_KEEPS = 0.3
ALPHA = 0.2
DEAD_BAND = 0.2
MOST = 5_000
LONG = 1_000
FEW = 1.0
"""Rows a part is taken to have besides, so that one row more or less of a few moves nothing."""
UNTOLD = (inf, -inf, inf, -inf, 0.0)
"""The band of a node of which no change was told: whatever is seen next is."""


class Observed:
    """One node's: ``rows`` and ``change`` are what is told, ``moved`` the version of when they changed."""

    __slots__ = ("_band", "_change", "_changed", "_rows", "_spread", "change", "moved", "rows", "tick")

    def __init__(self, rows: float, changed: int, tick: int) -> None:
        self.rows = self._rows = float(rows)
        self.change: float | None = None
        self._change: float | None = None
        self._spread = 0.0
        self._band = UNTOLD
        self._changed, self.tick = changed, tick
        self.moved = 0

    def see(self, rows: int, changed: int, tick: int, times: float) -> bool:
        """Take a look in; tell whether it changes what is told.

        A look as of no tick is of somebody who is about to plan: what is there is told as it is.
        """
        if not tick:
            self._rows = float(rows)
            return self._tell(times)
        ticks = tick - self.tick
        if ticks <= 0 or changed < self._changed or not self.tick:
            self._rows, self._changed, self.tick = float(rows), changed, tick
            return self._tell(times)
        rate = (changed - self._changed) / ticks
        self._changed, self.tick = changed, tick
        seen = self._rows = self._rows + ALPHA * (rows - self._rows)
        held = rate if self._change is None else self._change
        self._spread += ALPHA * (abs(rate - held) - self._spread)
        change = self._change = held + ALPHA * (rate - held)
        fewest, most, slowest, fastest, told = self._band
        if fewest <= seen <= most and (slowest <= change <= fastest or abs(change - told) <= self._spread):
            return False
        return self._tell(times)

    def _tell(self, times: float) -> bool:
        """Tell what there is; in a band so many times around it, nothing is told anew."""
        change, told = self._change, self.change
        if self._rows == self.rows and (
            change is None or (told is not None and abs(change - told) <= self._spread)
        ):
            return False
        self.rows, self.change = self._rows, change
        if change is not None:
            self._band = (*_around(self.rows, times), *_around(change, times), change)
        return True


def _around(told: float, times: float) -> tuple[float, float]:
    return (told + FEW) / times - FEW, (told + FEW) * times - FEW


class Statistics:
    """What is observed, by node."""

    def __init__(self, band: float = DEAD_BAND) -> None:
        self._times = exp(band)
        self._observed: dict[Physical, Observed] = {}
        self.version = self.tick = 0

    def observe(self, plan: Physical, rows: int, changed: int = 0, tick: int = 0) -> None:
        """Take in how many rows a node has, as of a tick, and how many changed until then."""
        self.tick = max(self.tick, tick)
        held = self._observed.get(plan)
        if held is None:
            self._forget_old(tick)
            held = self._observed[plan] = Observed(rows, changed, tick)
            has_moved = True
        else:
            has_moved = held.see(rows, changed, tick, self._times)
        if has_moved:
            self.version += 1
            held.moved = self.version

    def _forget_old(self, tick: int) -> None:
        """Forget, when they are many, the nodes that have not run for long."""
        if len(self._observed) >= MOST:
            self._observed = {p: seen for p, seen in self._observed.items() if seen.tick > tick - LONG}

    def known(self, plan: Physical) -> Observed | None:
        """Return what was observed of a node."""
        return self._observed.get(plan)

    def is_observed(self, leaf: Leaf) -> bool:
        """Tell whether the rows of a leaf are known by observation."""
        observed = self._observed.get(leaf)
        return observed is not None and bool(observed.rows)

    def rows(self, leaf: Leaf) -> float:
        """Return what a leaf holds; an empty one may fill, so it counts as one row."""
        observed = self._observed.get(leaf)
        return max(1.0, observed.rows) if observed is not None and observed.rows else self._guess(leaf)

    def _guess(self, leaf: Leaf) -> float:
        kept = 1.0 if leaf.fragment.predicate is None else PREDICATE_KEEPS
        if isinstance(leaf, Table):
            return GUESS_TABLE * kept
        if isinstance(leaf, Shipped):
            return GUESS_TABLE
        match leaf.window:
            case Range(microseconds):
                return max(1.0, GUESS_PER_SECOND * microseconds / 1_000_000 * kept)
            case Rows(count, partition):
                return count * (GUESS_PARTITIONS if partition else 1) * kept
        return GUESS_UNBOUNDED * kept
