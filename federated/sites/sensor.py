"""The sensor site: gateways, each beside its own devices, in a mesh whose hops cost the batteries.

    a gateway runs     select, project, windows, partial aggregates; functions as the engine has them
    two of them        one join of two of their relations a query, where an equality makes them meet

No Cartesian product is made in the network. A gateway's window moves by its own clock, so rows that say
themselves when they happened are windowed by time at the stream site alone. It knows its own devices
alone: the last rows of a key are the last rows there, where one gateway has all rows of the key; the last
rows of all devices are nobody's.

What a join of N left devices and M right ones costs, d hops apart and h from the base, in messages by hop,
K pairs of them having one key, x(p) being how many of one device's rows travel of those that a condition
keeps with probability p:

    natural   N x(p) d  +  K x(pq) h                      each left row goes to the right
    semi      N x(q) d  +  K x(pq) h                      the right announces itself to the left
    bloom     motes  +  N x(p q̂) h                        a bitmap of the right's keys is flooded
    base      (N x(p) + M x(q)) (h - 1)  +  K x(pq)       they meet at the gateway beside the base
    apart     (N x(p) + M x(q)) h                         they meet at the stream site

Once an epoch x(p) = p. Driven by events, at r readings a second, what travels is a row that begins or
ceases to be kept: x(p) = 2p(1-p)r, and the bitmap is flooded, and the right is told, as it changes. Where
each device speaks at a time of its own, a pair begins or ceases with either: x(pq) = q x(p) + p x(q).

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, Example 14; the semi and
    the bloom join, and costs by event, are ours.
"""

from typing import NamedTuple

from engine.plan.expressions import Expr
from engine.plan.leaves import AT_BASE, BLOOM, NATURAL, SEMI
from engine.plan.logical import Project, Scan, Select
from engine.plan.windows import Range, Rows
from federated.sites.parts import can_add_up
from federated.sites.site import Site


def can_run(_expression: Expr) -> bool:
    """Tell whether a gateway can run an expression: it runs all of them by our own meaning."""
    return True


def refuses(scan: Scan) -> str | None:
    """Say why no gateway can hold a window."""
    relation, window = scan.relation, scan.window
    if isinstance(window, Range) and relation.event_time is not None:
        return f"its rows happened when {relation.event_time} says, and a gateway windows them as they come"
    if isinstance(window, Rows) and not is_of_one_device(scan, window):
        by = ", ".join(relation.key) or "a key"
        return (
            f"a gateway knows the rows of its own devices; expected [PARTITION BY {by} ROWS {window.count}]"
        )
    return None


def is_of_one_device(scan: Scan, window: Rows) -> bool:
    """Tell whether each part of a window is of one device's rows."""
    return bool(scan.relation.key) and set(scan.relation.key_positions) <= set(window.partition)


SENSOR = Site(
    "sensor",
    (Scan, Select, Project),
    can_run,
    can_add_up,
    refuses,
)


class Pair(NamedTuple):
    """Two kinds of devices: how many, of which part is kept; hops between them and to the base.

    ``meetings`` is how many pairs have one key: as many as there are on the left, where nothing else is told.
    ``rate`` is readings a second of a device, or None where all is said once an epoch; ``right_rate`` that
    of the right, where each device speaks at a time of its own, not all at once.
    """

    left: float
    right: float
    kept_left: float
    kept_right: float
    between: float
    to_base: float
    motes: float = 0.0
    false_positives: float = 0.01
    rate: float | None = None
    meetings: float | None = None
    right_rate: float | None = None

    def of_left(self) -> float:
        """Return how many rows of one left device travel: an epoch, or a second."""
        return self.kept_left if self.rate is None else flips(self.kept_left, self.rate)

    def of_right(self) -> float:
        rate = self.rate if self.right_rate is None else self.right_rate
        return self.kept_right if rate is None else flips(self.kept_right, rate)

    def of_both(self, kept_right: float) -> float:
        """Return how many rows of one pair travel where the right keeps this part."""
        if self.rate is None:
            return self.kept_left * kept_right
        if self.right_rate is None:
            return flips(self.kept_left * kept_right, self.rate)
        return kept_right * self.of_left() + self.kept_left * flips(kept_right, self.right_rate)


def flips(kept: float, rate: float) -> float:
    """Return how often a second a row begins or ceases to be kept, readings being independent."""
    return 2.0 * kept * (1.0 - kept) * rate


def hop_messages(pair: Pair, method: str) -> float:
    """Return the messages of a join in the network, each hop counted."""
    return COUNTED[method](pair)


def apart(pair: Pair) -> float:
    """Return the messages of both sides on their way to the stream site."""
    return (said_left(pair) + said_right(pair)) * pair.to_base


def said_left(pair: Pair) -> float:
    return pair.left * pair.of_left()


def said_right(pair: Pair) -> float:
    return pair.right * pair.of_right()


def met(pair: Pair) -> float:
    meetings = pair.left if pair.meetings is None else pair.meetings
    return meetings * pair.of_both(pair.kept_right)


def natural(pair: Pair) -> float:
    return said_left(pair) * pair.between + met(pair) * pair.to_base


def semi(pair: Pair) -> float:
    return pair.left * pair.of_right() * pair.between + met(pair) * pair.to_base


def bloom(pair: Pair) -> float:
    seen = pair.kept_right + (1.0 - pair.kept_right) * pair.false_positives
    passed = pair.left * pair.of_both(seen)
    if pair.rate is None:
        return pair.motes + passed * pair.to_base
    flooded = said_right(pair) * max(pair.motes - 1.0, 0.0)
    return flooded + (passed + said_right(pair)) * max(pair.to_base - 1.0, 0.0) + met(pair)


def at_base(pair: Pair) -> float:
    return (said_left(pair) + said_right(pair)) * max(pair.to_base - 1.0, 0.0) + met(pair)


COUNTED = {NATURAL: natural, SEMI: semi, BLOOM: bloom, AT_BASE: at_base}
