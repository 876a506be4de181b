"""Outputs follow their views: one thread carries every change to where it is routed.

    engine thread ─put→ inbox ─→ router: replica of the view ─snapshot or change→ sink of each output

A sink is told a whole state (``hold``) or what changed since (``change``); it may be told the same state
again, and must then do nothing. So a gap, a lost connection and a restart have one remedy: hold again.
Nothing is shown before the engine has caught up with what the log held at the start: until then a view
is what it was when the last snapshot was taken, and an alarm would end and be raised anew.

A view's outputs come with its text and end with the view; a query's with whoever follows it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread

import structlog

from app.facade import Delta, Engine, Subscription
from app.inbox import Inbox
from app.outputs import DISPLAY, outputs_of
from app.replica import Replica
from app.routes import Route, Sink
from engine.lang.streamsql import Output
from engine.model.errors import SmartCISError
from engine.views.view import UNNAMED

TURN_SECONDS = 0.25
PATIENCE_SECONDS = 5.0
RETRY_TURNS = 8

log = structlog.get_logger(__name__)


@dataclass
class Followed:
    """A view with outputs; no subscription while the view is suspended."""

    view: str
    sql: str | None
    outputs: tuple[Output, ...]
    subscription: Subscription | None = None
    replica: Replica | None = None
    is_behind: bool = True
    waits_for: str = ""


class Router:
    """Carries rows from views to sinks. Every method that begins with _ runs on its thread."""

    def __init__(
        self,
        engine: Engine,
        sinks: Mapping[str, Sink],
        on_routed: Callable[[], None] = lambda: None,
        is_current: Callable[[], bool] = lambda: True,
    ) -> None:
        self._engine, self._sinks = engine, sinks
        self._on_routed, self._is_current = on_routed, is_current
        self._followed: dict[str, Followed] = {}
        self._displays: dict[str, tuple[str, ...]] = {}
        self._inbox = Inbox()
        self._has_begun = False
        self._turns = 0
        self._stopping = Event()
        self._thread = Thread(target=self._work, name="outputs", daemon=True)

    def start(self) -> None:
        self._inbox.ask(self._sync)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._inbox.ask(lambda: None)
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def sync(self) -> None:
        """Route what the views there are say by now; return when it is done."""
        self._ask(self._sync)

    def follow(self, view: str, outputs: tuple[Output, ...]) -> None:
        """Route a query's rows until it is left."""
        self._ask(lambda: self._begin(view, None, outputs))

    def leave(self, view: str) -> None:
        self._ask(lambda: self._end(view))

    def displays(self) -> Mapping[str, tuple[str, ...]]:
        """Return the views on each display."""
        return self._displays

    def shows(self, view: str) -> bool:
        """Tell whether a view is on a display, for everyone before it."""
        return any(view in views for views in self._displays.values())

    def _ask(self, request: Callable[[], None]) -> None:
        done = Event()

        def answer() -> None:
            try:
                request()
            finally:
                done.set()

        self._inbox.ask(answer)
        if self._thread.is_alive():
            done.wait(PATIENCE_SECONDS)

    def _work(self) -> None:
        while not self._stopping.is_set():
            taken = self._inbox.take(TURN_SECONDS)
            for request in taken.requests:
                self._survive(request)
            for view, deltas in taken.deltas.items():
                self._survive(partial(self._fold, view, deltas))
            for view in taken.lost:
                self._survive(partial(self._begin_again, view))
            self._survive(self._turn)

    def _survive(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception:
            log.exception("an output could not be carried out")

    def _sync(self) -> None:
        named = [info for info in self._engine.views() if not info.name.startswith(UNNAMED)]
        texts = {info.name: info.sql for info in named if outputs_of(info.sql)}
        for held in [f for f in self._followed.values() if f.sql is not None and texts.get(f.view) != f.sql]:
            self._end(held.view)
        for view, sql in texts.items():
            if view not in self._followed:
                self._begin(view, sql, outputs_of(sql))

    def _begin(self, view: str, sql: str | None, outputs: tuple[Output, ...]) -> None:
        self._followed[view] = Followed(view, sql, outputs)
        self._begin_again(view)
        self._tell_displays()

    def _begin_again(self, view: str) -> None:
        followed = self._followed.get(view)
        if followed is None:
            return
        _close(followed)
        followed.subscription, followed.replica, followed.is_behind = None, None, True
        try:
            followed.subscription = self._engine.listen(view, self._inbox.put)
            followed.replica = Replica(followed.subscription.snapshot)
        except SmartCISError as error:
            if followed.waits_for != error.message:
                log.warning("outputs of a view wait", view=view, reason=error.message)
            followed.waits_for = error.message
        else:
            followed.waits_for = ""

    def _fold(self, view: str, deltas: list[Delta]) -> None:
        followed = self._followed.get(view)
        if followed is None or followed.replica is None:
            return
        if not all(followed.replica.fold(change) for change in deltas):
            self._begin_again(view)
        elif self._has_begun and not followed.is_behind:
            change = followed.replica.flush()
            if change is not None:
                self._each(followed, lambda sink, route: sink.change(route, change))

    def _turn(self) -> None:
        """Hold what is behind; ask again for a view that was suspended."""
        if not self._has_begun and not self._begin_to_show():
            return
        self._turns += 1
        again = {kind for kind, sink in self._sinks.items() if sink.turn()}
        for followed in list(self._followed.values()):
            if followed.replica is None and self._turns % RETRY_TURNS == 0:
                self._begin_again(followed.view)
            if followed.is_behind or any(output.kind in again for output in followed.outputs):
                self._survive(partial(self._hold, followed))

    def _begin_to_show(self) -> bool:
        if self._is_current():
            for view in self._followed:
                self._begin_again(view)  # the tick that caught up may not have been delivered yet
            for kind, sink in self._sinks.items():
                sink.settle({route for route in self._routes() if route.output.kind == kind})
            self._has_begun = True
        return self._has_begun

    def _hold(self, followed: Followed) -> None:
        if followed.replica is None:
            return
        followed.replica.flush()
        state = followed.replica.snapshot()
        followed.is_behind = False
        self._each(followed, lambda sink, route: sink.hold(route, state))

    def _each(self, followed: Followed, tell: Callable[[Sink, Route], None]) -> None:
        for output in followed.outputs:
            sink = self._sinks.get(output.kind)
            if sink is None:
                continue
            try:
                tell(sink, Route(followed.view, output))
            except Exception as error:
                followed.is_behind = True
                log.warning(
                    "an output is tried again", view=followed.view, kind=output.kind, reason=str(error)
                )

    def _routes(self) -> set[Route]:
        return {Route(f.view, output) for f in self._followed.values() for output in f.outputs}

    def _end(self, view: str) -> None:
        followed = self._followed.pop(view, None)
        if followed is None:
            return
        _close(followed)
        followed.is_behind = False
        self._each(followed, lambda sink, route: sink.end(route))
        self._has_begun = self._has_begun and not followed.is_behind  # what could not be ended is settled
        self._tell_displays()

    def _tell_displays(self) -> None:
        found: dict[str, tuple[str, ...]] = {}
        for view, output in self._routes():
            if output.kind == DISPLAY:
                found[output.target] = tuple(sorted((*found.get(output.target, ()), view)))
        if found != self._displays:
            self._displays = found
            self._on_routed()


def _close(followed: Followed) -> None:
    if followed.subscription is not None:
        followed.subscription.close()
