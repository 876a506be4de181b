"""What is run in shares, wherever these are: random programs, papers' queries, views over three tables."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle
from random import Random

from engine.model.relation import RelationKind
from engine.model.values import Type
from engine.partitions.carrying import Carrier
from tests.fuzz import Tally, case, live
from tests.oracle_bags import TooMuch
from tests.strategies import relation
from tests.watched_plan import PARTITIONED

SOME = (1, 2, 3, 5, 7, 8, 12, 24)
TABLES = [
    relation(name, RelationKind.TABLE, key=("k",), k=Type.TEXT, n=Type.BIGINT) for name in ("t", "u", "v")
]
VIEWS = {
    "met": "SELECT t.k, u.n, v.n AS m FROM t, u, v WHERE t.k = u.k AND u.k = v.k",
    "totals": "SELECT t.n, count(*) AS many, max(u.n) AS most FROM t JOIN u ON t.k = u.k GROUP BY t.n",
    "few": "SELECT v.k FROM v WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = v.k)",
    "reached": """WITH RECURSIVE r(a, b) AS (
        SELECT n, n + 1 FROM t UNION SELECT r.a, u.n FROM r JOIN u ON r.b = u.n + 1) SELECT a, b FROM r""",
}


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
