"""What is known of the parts of plans: how many rows they hold or put out, and how many change in a tick.

    rows′    =  rows + α · (seen − rows)                   α = 0.2, so that one odd tick changes no plan
    change′  =  change + α · (Δchanged / Δticks − change)
    told     =  what the optimizer is told: as observed when that was last off by more than the dead-band

Any node that runs is observed, an input of a join or what comes out of it; of a leaf that does not run
something is guessed, of anything else ``cost`` derives it. What is told stays the same while little
moves: ``version`` counts how often something did, so that whoever depends on it need not look.

References:
    Liu. ASPEN, chapter 5; the dead-band is ours: without one every leaf moves in every tick (specs, 004 C).
"""

from math import log

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
FEW = 1.0
"""Rows a part is taken to have besides, so that one row more or less of a few moves nothing."""


class Observed:
    """One node's: ``rows`` and ``change`` are what is told, ``moved`` the version of when they changed."""

    __slots__ = ("_change", "_changed", "_rows", "change", "moved", "rows", "tick")

    def __init__(self, rows: float, changed: int, tick: int) -> None:
        self.rows = self._rows = rows
        self.change: float | None = None
        self._change: float | None = None
        self._changed, self.tick = changed, tick
        self.moved = 0

    def see(self, rows: int, changed: int, tick: int, band: float) -> bool:
        """Take a look in; tell whether it changes what is told.

        A second look in one tick is of somebody who is about to plan: it is told as it is.
        """
        ticks = tick - self.tick
        if ticks <= 0 or changed < self._changed:
            self._rows, self._changed, self.tick = rows, changed, tick
            return self._tell(0.0)
        rate = (changed - self._changed) / ticks
        self._rows += ALPHA * (rows - self._rows)
        held = rate if self._change is None else self._change
        self._change = held + ALPHA * (rate - held)
        self._changed, self.tick = changed, tick
        return self._tell(band)

    def _tell(self, band: float) -> bool:
        """Tell what moved out of the dead-band around what was told."""
        change = self._change
        has_moved = is_off(self._rows, self.rows, band)
        if change is not None and (self.change is None or is_off(change, self.change, band)):
            has_moved = True
        if has_moved:
            self.rows, self.change = self._rows, change
        return has_moved


def is_off(seen: float, told: float, band: float) -> bool:
    return seen != told and abs(log((seen + FEW) / (told + FEW))) > band


class Statistics:
    """What is observed, by node."""

    def __init__(self, band: float = DEAD_BAND) -> None:
        self._band = band
        self._observed: dict[Physical, Observed] = {}
        self.version = 0

    def observe(self, plan: Physical, rows: int, changed: int = 0, tick: int = 0) -> None:
        """Take in how many rows a node has, as of a tick, and how many changed until then."""
        held = self._observed.get(plan)
        if held is None:
            held = self._observed[plan] = Observed(rows, changed, tick)
            has_moved = True
        else:
            has_moved = held.see(rows, changed, tick, self._band)
        if has_moved:
            self.version += 1
            held.moved = self.version

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
