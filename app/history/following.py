"""The engine's side of recording: which views are followed, and from which tick on.

    tick reaches the head  →  every marked view from its snapshot, then its deltas, then the tick's stamp

Ticks that a start runs again, up to the head, are told already. Every method runs on the engine thread.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

import structlog

from app.facade import Delta, Stamp, Subscription, ViewInfo
from app.history.inbox import Begun, Ended, Lost, RecorderInbox
from app.history.marking import mark_of
from app.history.recorded import Mark
from engine.model.errors import SmartCISError

T = TypeVar("T")
log = structlog.get_logger(__name__)


class Source(Protocol):
    """What recording needs of an engine."""

    def ask(self, question: Callable[[], T]) -> T: ...
    def stamp(self) -> Stamp: ...
    def views(self) -> tuple[ViewInfo, ...]: ...
    def listen(self, view: str, deliver: Callable[[Delta], None]) -> Subscription: ...
    def on_tick(self, observer: Callable[[Stamp], None]) -> None: ...


class Following:
    """Puts what happens to the marked views into an inbox, from the log's offset ``head`` on."""

    def __init__(self, engine: Source, inbox: RecorderInbox, head: int) -> None:
        self._engine, self._inbox, self._head = engine, inbox, head
        self._marked_now: dict[str, tuple[Mark, str]] = {}
        self._subscriptions: dict[str, Subscription] = {}
        self._refused: dict[str, str] = {}
        self._has_begun = False
        self._is_whole = True

    @property
    def is_recording(self) -> bool:
        """Tell whether there is anything to record by now; safe to ask from any thread."""
        return self._has_begun and bool(self._marked_now)

    def start(self) -> None:
        """Begin with the tick that reaches the head; an engine that is beyond it missed something."""
        self._engine.on_tick(self._ticked)
        self._is_whole = self._engine.stamp().offset <= self._head

    def sync(self) -> None:
        """Follow the views that are marked by now, and no others."""
        if not self._has_begun:
            return
        marked = self._marked()
        for name in [name for name in self._marked_now if name not in marked]:
            self._close(name)
            self._inbox.put(Ended(name))
        before, self._marked_now = self._marked_now, marked
        for name, found in marked.items():
            if before.get(name) != found and not self.follow(name):
                self._inbox.put(Lost(name))

    def follow(self, name: str) -> bool:
        """Go on with a view from what it has at this moment; False where it has nothing to tell."""
        self._close(name)
        if name not in self._marked_now:
            return True
        mark, _ = self._marked_now[name]
        try:
            found = self._engine.listen(name, self._inbox.put)
        except SmartCISError:
            return False
        self._subscriptions[name] = found
        self._inbox.put(Begun(mark, found.snapshot, self._engine.stamp(), self._is_whole))
        return True

    def stop(self) -> None:
        for name in list(self._subscriptions):
            self._close(name)

    def _ticked(self, stamp: Stamp) -> None:
        if not self._has_begun and stamp.offset >= self._head:
            self._begin_all()
        if self._has_begun:
            self._inbox.put(stamp)

    def _begin_all(self) -> None:
        self._has_begun = True
        self.sync()
        self._is_whole = True

    def _marked(self) -> dict[str, tuple[Mark, str]]:
        """Return the marks by view, each with the view's text: one that says another query is begun again."""
        found: dict[str, tuple[Mark, str]] = {}
        for view in self._engine.views():
            try:
                mark = mark_of(view)
            except SmartCISError as error:
                self._refuse(view.name, error.message)
            else:
                if mark is not None:
                    found[view.name] = (mark, view.sql)
        return found

    def _refuse(self, view: str, reason: str) -> None:
        if self._refused.get(view) != reason:
            log.warning("a view is not recorded", view=view, reason=reason)
        self._refused[view] = reason

    def _close(self, name: str) -> None:
        subscription = self._subscriptions.pop(name, None)
        if subscription is not None:
            subscription.close()
