"""What is run in shares, wherever these are: random programs, and papers' queries, each in some number."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle
from random import Random

from engine.partitions.epoch import Carrier
from tests.fuzz import Tally, case, live
from tests.oracle_bags import TooMuch
from tests.watched_plan import PARTITIONED

SOME = (1, 2, 3, 5, 7, 8, 12, 24)


def programs(
    carrier: Callable[[int], Carrier], seed: int, count: int, many: Sequence[int], ticks: int | None = None
) -> None:
    """Run so many random programs for so many ticks, each in one of these numbers of shares."""
    random = Random(seed)
    run = 0
    while run < count:
        own, partitions = random.randrange(10**9), random.choice(many)
        program, history = case(own)
        try:
            live(program, history[:ticks], Tally(), [PARTITIONED], partial(carrier, partitions))
        except TooMuch:
            continue
        except AssertionError as wrong:
            message = f"case {own} in {partitions} partitions"
            raise AssertionError(message) from wrong
        run += 1


def spread_out(queries: Iterable[str]) -> list[tuple[str, int]]:
    """Return each query with a number of shares, another from one to the next."""
    return list(zip(queries, cycle(SOME), strict=False))
