"""What a query is to be good at, and what it may cost.

    minimise  Σ weight · metric        subject to   lifetime >= …,  bytes a second <= …

The metrics are those that the sites' own are translated to: ``latency`` in seconds from a change to the
answer, ``bytes`` a second over the network, ``energy`` in joules a second of the devices' batteries.
"""

from dataclasses import dataclass

METRICS = ("latency", "bytes", "energy")


@dataclass(frozen=True, slots=True)
class Goal:
    """``lifetime`` is in microseconds: how long the first battery must last, at least."""

    weights: tuple[tuple[str, float], ...] = (("latency", 1.0),)
    lifetime: int | None = None
    bytes_a_second: float | None = None


FASTEST = Goal()
