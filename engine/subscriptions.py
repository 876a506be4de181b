"""Who watches which view: a snapshot, then every delta after it until the watcher leaves."""

from collections.abc import Callable
from typing import TypeVar

import structlog

from engine.views.view import Delta, Snapshot

log = structlog.get_logger(__name__)

T = TypeVar("T")
Deliver = Callable[[Delta], None]


class Subscription:
    """A snapshot and, until closed, every delta after it."""

    def __init__(self, leave: "Callable[[Subscription], None]", snapshot: Snapshot, deliver: Deliver) -> None:
        self._leave = leave
        self.snapshot = snapshot
        self.deliver = deliver

    def close(self) -> None:
        self._leave(self)


Subscriptions = dict[str, list[Subscription]]


def end(among: Subscriptions, subscription: Subscription) -> bool:
    """Take a subscription out; tell whether it was the last of its view."""
    held = among.get(subscription.snapshot.view, [])
    if subscription not in held:
        return False
    held.remove(subscription)
    if not held:
        del among[subscription.snapshot.view]
    return not held


def attempt(tell: Callable[[T], None], news: T) -> None:
    """Tell a reader; its failure is its own, and the gap it leaves shows in the next delta."""
    try:
        tell(news)
    except Exception:
        log.exception("a reader of the engine failed")
