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

from math import exp

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


class Observed:
    """One node's: ``rows`` and ``change`` are what is told, ``moved`` the version of when they changed."""

    __slots__ = ("_change", "_changed", "_rows", "_spread", "change", "moved", "rows", "tick")

    def __init__(self, rows: float, changed: int, tick: int) -> None:
        self.rows = self._rows = float(rows)
        self.change: float | None = None
        self._change: float | None = None
        self._spread = 0.0
        self._changed, self.tick = changed, tick
        self.moved = 0

    def see(self, rows: int, changed: int, tick: int, times: float) -> bool:
        """Take a look in; tell whether it changes what is told.

        A look as of no tick is of somebody who is about to plan: what is there is told as it is.
        """
        ticks = tick - self.tick
        if not tick:
            self._rows = float(rows)
            return self._tell(1.0)
        if ticks <= 0 or changed < self._changed or not self.tick:
            self._rows, self._changed, self.tick = float(rows), changed, tick
            return self._tell(1.0)
        rate = (changed - self._changed) / ticks
        self._changed, self.tick = changed, tick
        self._rows += ALPHA * (rows - self._rows)
        held = rate if self._change is None else self._change
        self._spread += ALPHA * (abs(rate - held) - self._spread)
        self._change = held + ALPHA * (rate - held)
        return self._tell(times)

    def _tell(self, times: float) -> bool:
        """Tell what moved so many times away from what was told."""
        change, told = self._change, self.change
        if not is_off(self._rows, self.rows, times):
            if change is None:
                return False
            if told is not None and (abs(change - told) <= self._spread or not is_off(change, told, times)):
                return False
        self.rows, self.change = self._rows, change
        return True


def is_off(seen: float, told: float, times: float) -> bool:
    return not (told + FEW) / times <= seen + FEW <= (told + FEW) * times


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
