"""A query that is asked once, of what other sites hold: its asker waits until they have answered.

    start ─▶ answered by every site that is up?  ─ yes ─▶ what it is asked for: its rows, or its plan
                    └─ no: a moment later again, up to WAIT_SECONDS ─┘

The wait is the asker's own: between two looks the engine goes on.
"""

import threading
from collections.abc import Callable
from typing import Any, Protocol

from engine.outcomes import Listing, Plan

WAIT_SECONDS, LOOK_SECONDS = 5.0, 0.05


class Once(Protocol):
    """A query that was started, to be asked on the engine's thread."""

    def is_answered(self) -> bool: ...
    def told(self) -> Listing | Plan: ...
    def end(self) -> None: ...


def told_once(begin: Callable[[], Once], ask: Callable[[Callable[[], Any]], Any]) -> Listing | Plan:
    """Return what a query is asked for as soon as it is whole, or what there is by then."""

    def begun() -> Once | Listing | Plan:
        once = begin()
        return ended(once) if once.is_answered() else once

    query = ask(begun)
    if isinstance(query, Listing | Plan):
        return query
    pause = threading.Event()
    for _ in range(int(WAIT_SECONDS / LOOK_SECONDS)):
        pause.wait(LOOK_SECONDS)
        if ask(query.is_answered):
            break
    found: Listing | Plan = ask(lambda: ended(query))
    return found


def ended(query: Once) -> Listing | Plan:
    """Return what a query is asked for, and let it go."""
    try:
        return query.told()
    finally:
        query.end()
