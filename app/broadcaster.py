"""One engine subscription per view, shared by every socket that watches it.

    engine thread ─put→ inbox ─→ broadcaster thread ─fold, flush→ room of the view ─→ sockets

How a new watcher loses nothing: the broadcaster keeps its own copy of each watched view (`Replica`) and
one thread does everything that concerns rooms. Joining a room and sending the copy's snapshot is one
step of that thread, and so is sending a delta to the room; a delta is therefore before the snapshot or
behind it, never both and never neither. (One engine subscription per socket would need no copy, but
would do every socket's work on the engine thread.)

Nothing grows without end: the inbox is bounded per view, deltas that wait together are sent as one, a
round that reached many sockets is followed by a pause, and a socket that does not keep up leaves the
room until its queue is empty, then gets a fresh snapshot (`Patience`).
"""

from collections.abc import Callable, Iterable
from functools import partial
from threading import Event, Thread
from typing import Protocol

import structlog

from app import present
from app.facade import Engine, Subscription
from app.inbox import Inbox
from app.machines.followed import Followed, is_followed
from app.patience import Patience
from app.replica import Replica
from engine.model.clock import SECOND, Clock
from engine.model.errors import QueryError, SmartCISError
from engine.views.view import Delta

MAX_FOLLOWED = 20  # queries that a socket has for itself
DELIVERIES_A_SECOND = 4_000

log = structlog.get_logger(__name__)


class Post(Protocol):
    """Where messages go: Socket.IO, seen from the broadcaster."""

    def send(self, event: str, message: object, to: str | None) -> None: ...

    def join(self, sid: str, room: str) -> None: ...

    def leave(self, sid: str, room: str) -> None: ...

    def backlog(self, sid: str) -> int: ...

    def sweep(self) -> None:
        """Disconnect whoever may no longer be here."""


class Stand:
    """A watched view: its copy, its subscription, who is in its room, who fell behind."""

    def __init__(self, subscription: Subscription, view: str) -> None:
        self.subscription = subscription
        self.of = subscription.snapshot.view  # its name in the engine; a query that is followed has one there
        self.replica = Replica(subscription.snapshot._replace(view=view))
        self.watchers: set[str] = set()
        self.behind: set[str] = set()


class Broadcaster:
    """Sends snapshots, deltas and a pulse each second. Every method that begins with _ runs on its thread."""

    def __init__(
        self,
        engine: Engine,
        post: Post,
        wall: Clock,
        feed: Clock,
        is_on_display: Callable[[str], bool] = lambda _: False,
        followed: Callable[[str], Followed | None] = lambda _: None,
    ) -> None:
        """Follow views for sockets; what is on a display is listened to, which keeps nothing alive.

        ``followed`` says of a name which query it asks for, if it is none of a view.
        """
        self._engine, self._post, self._wall, self._feed = engine, post, wall, feed
        self._is_on_display, self._followed = is_on_display, followed
        self._inbox, self._patience = Inbox(), Patience(wall)
        self._stands: dict[str, Stand] = {}
        self._stopping = Event()
        self._thread = Thread(target=self._work, name="broadcaster", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._inbox.ask(lambda: None)
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def watch(self, sid: str, view: str) -> None:
        self._inbox.ask(lambda: self._watch(sid, view))

    def unwatch(self, sid: str, view: str) -> None:
        self._inbox.ask(lambda: self._unwatch(sid, view))

    def forget(self, sid: str) -> None:
        """Drop a socket that is gone from every room."""
        self._inbox.ask(lambda: self._forget(sid))

    def _work(self) -> None:
        next_pulse = self._wall.now()
        while not self._stopping.is_set():
            taken = self._inbox.take((next_pulse - self._wall.now()) / SECOND)
            for request in taken.requests:
                self._survive(request)
            reached = sum(self._advance(view, deltas) for view, deltas in taken.deltas.items())
            for view in taken.lost:
                self._survive(partial(self._begin_again, view))
            if self._wall.now() >= next_pulse:
                self._survive(self._pulse)
                next_pulse = self._wall.now() + SECOND
            if reached > 1:
                self._stopping.wait(reached / DELIVERIES_A_SECOND)

    def _survive(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception:
            log.exception("a message could not be sent")

    def _watch(self, sid: str, view: str) -> None:
        try:
            self._check_few(sid, view)
            stand = self._stands.get(view) or self._open(view)
        except SmartCISError as error:
            self._post.send("refused", {"view": view, "error": error.message}, sid)
            return
        self._give_snapshot(view, stand, sid)

    def _check_few(self, sid: str, view: str) -> None:
        """Refuse a socket that would have the engine answer ever more queries for it."""
        mine = [name for name, stand in self._stands.items() if sid in stand.watchers and name != stand.of]
        if len(mine) >= MAX_FOLLOWED and view not in mine and is_followed(view):
            problem = f"{len(mine)} queries are followed by this page already; unwatch one of them first"
            raise QueryError(problem)

    def _open(self, view: str) -> Stand:
        follow = self._engine.listen if self._is_on_display(view) else self._engine.subscribe
        asked = self._followed(view)
        if asked is None:
            subscription = follow(view, self._inbox.put)
        else:
            name = self._engine.query(*asked)
            subscription = follow(name, lambda change: self._inbox.put(change._replace(view=view)))
        stand = self._stands[view] = Stand(subscription, view)
        return stand

    def _give_snapshot(self, view: str, stand: Stand, sid: str) -> None:
        self._flush(view, stand)
        stand.behind.discard(sid)
        stand.watchers.add(sid)
        self._patience.forget(sid)
        missing = self._engine.missing().get(stand.of, ())
        self._post.send("snapshot", present.snapshot(stand.replica.snapshot(), missing), sid)
        self._post.join(sid, view)

    def _unwatch(self, sid: str, view: str) -> None:
        stand = self._stands.get(view)
        if stand is None:
            return
        if sid in stand.watchers:
            self._post.leave(sid, view)
        stand.watchers.discard(sid)
        stand.behind.discard(sid)
        if not stand.watchers and not stand.behind:
            del self._stands[view]
            stand.subscription.close()

    def _forget(self, sid: str) -> None:
        self._patience.forget(sid)
        for view in list(self._stands):
            self._unwatch(sid, view)

    def _advance(self, view: str, deltas: Iterable[Delta]) -> int:
        """Send what came for a view; return how many sockets it reached."""
        stand = self._stands.get(view)
        if stand is None:
            return 0
        complete = all(stand.replica.fold(change) for change in deltas)
        self._survive(partial(self._flush, view, stand) if complete else partial(self._begin_again, view))
        return len(stand.watchers)

    def _flush(self, view: str, stand: Stand) -> None:
        change = stand.replica.flush()
        if change is None:
            return
        for sid in [sid for sid in stand.watchers if self._patience.is_over(sid, self._post.backlog(sid))]:
            stand.watchers.discard(sid)
            stand.behind.add(sid)
            self._post.leave(sid, view)
        if stand.watchers:
            self._post.send("delta", present.delta(change, stand.replica.columns), view)

    def _begin_again(self, view: str) -> None:
        """Deltas of the view are missing: subscribe anew, and give every watcher a fresh snapshot."""
        stand = self._stands.pop(view, None)
        if stand is None:
            return
        log.warning("a view begins again from a snapshot", view=view, watchers=len(stand.watchers))
        for sid in stand.watchers | stand.behind:
            self._survive(partial(self._watch, sid, view))
        stand.subscription.close()  # last, since an unnamed query ends with its last subscription

    def _missing(self) -> dict[str, list[str]]:
        found = self._engine.missing()
        return {view: list(found[stand.of]) for view, stand in self._stands.items() if stand.of in found}

    def _pulse(self) -> None:
        self._post.sweep()
        stamp = self._engine.stamp()
        now, missing = self._feed.now(), self._missing()
        message = {"run": self._engine.run, "tick": stamp.tick, "at": stamp.at, "now": now}
        self._post.send("pulse", {**message, "missing": missing}, None)
        for view, stand in self._stands.items():
            for sid in [sid for sid in stand.behind if not self._post.backlog(sid)]:
                self._give_snapshot(view, stand, sid)
