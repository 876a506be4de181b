"""What a site can run: which nodes, which functions, which aggregates, and what it cannot do with a window.

a site runs a plan  =  it runs every node of it, beside data that are all its own
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.plan.expressions import Expr
from engine.plan.logical import AggregateCall, Scan


@dataclass(frozen=True)
class Site:
    """``refuses`` says why a scan cannot run there, or nothing."""

    name: str
    nodes: tuple[type, ...]
    can_run: Callable[[Expr], bool]
    can_total: Callable[[AggregateCall], bool]
    refuses: Callable[[Scan], str | None]
