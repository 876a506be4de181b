"""SegTollS for 150 ticks: windows fill, then every part of the plan varies by a tenth and no more.

The bar is of the optimizer's own dead-band and of wider ones: under one of a tenth, what varies by a tenth
is not stable.

In each tick every relation and every join of the best plan is observed; what left the dead-band goes to the
memo. A tick's time is both: looking at what was observed, and optimizing again; of several equal runs the
median of each tick, so that a tick that was interrupted does not count.
"""

from collections import Counter
from math import exp
from random import Random
from statistics import mean, median
from time import perf_counter

from federated.estimating.statistics import DEAD_BAND, Observed
from federated.memo.memo import Memo, Plan
from tests.benchmarks._optimizer_cases import MICROSECONDS, Case
from tests.benchmarks._report import Result

TICKS, FILLED, STABLE_FROM = 150, 10, 50
VARIES, RUNS = 0.1, 9
BANDS = (0.0, 0.1, 0.2, 0.25)
MOST = 2.0
Seen = dict[int, tuple[int, int]]
"""Of each running part its rows, and how many changed until now."""


class Running:
    """A memo over a running plan, and what was observed of its parts."""

    def __init__(self, case: Case, band: float) -> None:
        self.memo: Memo = case.memo()
        self._true = {mask: self.memo.rows(mask) for mask in self.memo.space.masks}
        self._observed: dict[int, Observed] = {}
        self._changed: Counter[int] = Counter()
        self._times = exp(band)
        self._random = Random(3)

    def seen(self, tick: int) -> Seen:
        """Return what runs: windows fill at first, one join is not what was thought."""
        filled = min(1.0, (tick + 1) / FILLED)
        seen = {}
        for mask in _parts(self.memo.plan()):
            varied = filled * exp(self._random.gauss(0, VARIES))
            rows = int(self._true[mask] * _thought(mask) * varied) + 1
            self._changed[mask] += rows
            seen[mask] = rows, self._changed[mask]
        return seen

    def tick(self, tick: int, seen: Seen) -> None:
        for mask, (rows, changed) in seen.items():
            held = self._observed.get(mask)
            if held is None:
                held = self._observed[mask] = Observed(rows, changed, tick)
            elif not held.see(rows, changed, tick, self._times):
                continue
            self.memo.observe(mask, held.rows)
        self.memo.settle()


def _thought(mask: int) -> float:
    return 30.0 if mask & 0b110 == 0b110 else 1.0


def _parts(plan: Plan) -> set[int]:
    return {plan.mask}.union(*map(_parts, plan.inputs))


def ticks(case: Case, scratch: float) -> list[Result]:
    """Return what a stable tick costs, in hundredths of an optimization from scratch."""
    return [_at(case, scratch, band) for band in BANDS]


def _at(case: Case, scratch: float, band: float) -> Result:
    runs = [measured(case, band) for _ in range(RUNS)]
    each = [median(times) for times in zip(*(times for times, _ in runs), strict=True)]
    first, stable = median(each[:FILLED]), mean(each[STABLE_FROM:])
    return Result(
        f"{case.name}: stable tick, dead-band {band}",
        100 * stable / scratch,
        "% scratch",
        floor=MOST if band >= DEAD_BAND else None,
        peer=f"{first:.0f} µs at first, {stable:.1f} µs stable, {runs[0][1]} of 100 stable ticks optimized",
    )


def measured(case: Case, band: float) -> tuple[list[float], int]:
    """Return the microseconds of each tick, and how many stable ticks changed what the memo is told."""
    running = Running(case, band)
    times, moved = [], 0
    for tick in range(TICKS):
        seen = running.seen(tick)
        passes = running.memo.statistics().passes
        started = perf_counter()
        running.tick(tick, seen)
        times.append((perf_counter() - started) * MICROSECONDS)
        moved += tick >= STABLE_FROM and running.memo.statistics().passes > passes
    return times, moved
