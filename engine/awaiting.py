"""A query that is asked once, of what other sites hold: its asker waits until they have answered.

    start ─▶ answered by every site that is up?  ─ yes ─▶ its rows, and the sites that it is without
                    └─ no: a moment later again, up to WAIT_SECONDS ─┘

The wait is the asker's own: between two looks the engine goes on.
"""

import threading
from collections.abc import Callable
from typing import Any, Protocol

from engine.outcomes import Listing

WAIT_SECONDS, LOOK_SECONDS = 5.0, 0.05


class Once(Protocol):
    """A query that was started, to be asked on the engine's thread."""

    def is_answered(self) -> bool: ...
    def rows(self) -> Listing: ...
    def end(self) -> None: ...


def rows_once(begin: Callable[[], Once], ask: Callable[[Callable[[], Any]], Any]) -> Listing:
    """Return the rows of a query as soon as they are whole, or those that there are by then."""

    def begun() -> Once | Listing:
        once = begin()
        return ended(once) if once.is_answered() else once

    query = ask(begun)
    if isinstance(query, Listing):
        return query
    pause = threading.Event()
    for _ in range(int(WAIT_SECONDS / LOOK_SECONDS)):
        pause.wait(LOOK_SECONDS)
        if ask(query.is_answered):
            break
    listing: Listing = ask(lambda: ended(query))
    return listing


def ended(query: Once) -> Listing:
    """Return what a query contains, and let it go."""
    try:
        return query.rows()
    finally:
        query.end()
