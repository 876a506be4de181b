"""A query followed over HTTP: newline-delimited JSON, for as long as the reader stays.

{"view": name, "columns": […], "order": […], "tick": n, "rows": […], "missing": […]}
                                              the state; again, whole, if the reader fell behind
{"tick": n, "changes": [[±n, […]], …]}        what changed
{"missing": […]}                              the sites that the rows are without are others than before
{"error": why}                                the last: the view was suspended, or the reader signed out
(an empty line)                               nothing for a second: finds out whether the reader left

Who asks for so many rows at most is told, as ``more``, how many others there are.
"""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial
from threading import BoundedSemaphore, Condition, Lock
from typing import Any

from app import present
from app.facade import Engine
from app.outputs import outputs_of
from app.portion import Portion
from app.routing import Router
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters
from engine.model.errors import SmartCISError
from engine.views.view import Delta

HEARTBEAT_SECONDS = 1.0
MAX_WAITING = 2_000
NO_LONGER = "You are signed out, or may no longer ask this, so the query was ended; sign in and ask again."
TOLD = ("view", "columns", "order", "tick", "rows", "missing")


class TooManyTails(Exception):
    """Every place is taken."""


class TooManyOfOne(Exception):
    """Whoever asks follows as many as one may."""


class Stretch:
    """What came since one snapshot; too much of it is dropped and replaced by the next snapshot."""

    def __init__(self) -> None:
        self.deltas: deque[Delta] = deque()
        self.overflowed = False

    def put(self, change: Delta) -> None:
        self.overflowed = self.overflowed or len(self.deltas) >= MAX_WAITING
        if not self.overflowed:
            self.deltas.append(change)


class Tail:
    """One followed view. ``lines`` runs on the request's thread, ``_deliver`` on the engine's."""

    def __init__(self, engine: Engine, view: str, tails: "Tails", most: int | None, who: str) -> None:
        self._engine, self.view, self._tails, self.who = engine, view, tails, who
        self._portion = None if most is None else Portion(most)
        self._waiting = Condition()
        self._closed = False
        self._missing: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._stretch = Stretch()
        self._subscription = self._engine.subscribe(self.view, partial(self._deliver, self._stretch))

    def _deliver(self, stretch: Stretch, change: Delta) -> None:
        with self._waiting:
            stretch.put(change)
            self._waiting.notify()

    def lines(self) -> Iterator[bytes]:
        yield self._state()
        while not self._closed:
            deltas = self._news()
            if self._stretch.overflowed or any(delta.after == delta.tick for delta in deltas):
                yield self._again()
            else:
                yield (b"".join(map(self._change, deltas)) + self._without()) or b"\n"
                if self._portion and self._portion.is_thin:
                    yield self._again()

    def close(self) -> None:
        """Give the subscription and the place back; may be called twice."""
        with self._waiting:
            if self._closed:
                return
            self._closed = True
            self._waiting.notify()
        self._subscription.close()
        self._tails.release(self)

    def _news(self) -> list[Delta]:
        stretch = self._stretch
        with self._waiting:
            self._waiting.wait_for(
                lambda: stretch.deltas or stretch.overflowed or self._closed, HEARTBEAT_SECONDS
            )
            news = list(stretch.deltas)
            stretch.deltas.clear()
            return news

    def _again(self) -> bytes:
        """Begin again behind a gap; a view that was suspended ends the answer with the reason."""
        left = self._subscription
        try:
            self._begin()
        except SmartCISError as error:
            self.close()
            return _line({"error": error.message})
        left.close()
        return self._state()

    def _state(self) -> bytes:
        self._missing = list(self._engine.missing().get(self.view, ()))
        state, told = self._subscription.snapshot, {}
        if self._portion:
            state = state._replace(rows=tuple(self._portion.begin(state.rows)))
            told = {"more": self._portion.more}
        message = present.snapshot(state, self._missing)
        return _line({name: message[name] for name in TOLD} | told)

    def _without(self) -> bytes:
        """Say which sites the rows are without, if it is others than was said."""
        before, self._missing = self._missing, list(self._engine.missing().get(self.view, ()))
        return _line({"missing": self._missing}) if self._missing != before else b""

    def _change(self, change: Delta) -> bytes:
        told = {}
        if self._portion:
            change = change._replace(changes=tuple(self._portion.change(change.changes)))
            told = {"more": self._portion.more}
        message = present.delta(change, self._subscription.snapshot.columns)
        return _line({"tick": message["tick"], "changes": message["changes"]} | told)


class Tails:
    """The tails that are open; each holds a server thread, so there is a bound."""

    def __init__(self, engine: Engine, places: int, of_one: int, router: Router) -> None:
        self._engine, self._router = engine, router
        self.places, self.of_one = places, of_one
        self._places_of: Counter[str] = Counter()
        self._lock = Lock()
        self._free = BoundedSemaphore(places)
        self._open: set[Tail] = set()

    def follow(
        self, sql: str, parameters: Parameters = NO_PARAMETERS, most: int | None = None, who: str = ""
    ) -> Tail:
        """Register, route and follow a query, or raise what is wrong; nobody's is not counted."""
        self._take_place(who)
        try:
            tail = Tail(self._engine, self._engine.query(sql, parameters), self, most, who)
        except BaseException:
            self._give_back(who)
            raise
        self._open.add(tail)
        if outputs := outputs_of(sql):
            self._router.follow(tail.view, outputs)
        return tail

    def release(self, tail: Tail) -> None:
        self._open.discard(tail)
        self._router.leave(tail.view)
        self._give_back(tail.who)

    def _take_place(self, who: str) -> None:
        with self._lock:
            if who and self._places_of[who] >= self.of_one:
                raise TooManyOfOne
            if not self._free.acquire(blocking=False):
                raise TooManyTails
            self._places_of[who] += 1

    def _give_back(self, who: str) -> None:
        with self._lock:
            self._places_of[who] -= 1
            if not self._places_of[who]:
                del self._places_of[who]
        self._free.release()

    def stop(self) -> None:
        for tail in list(self._open):
            tail.close()


def for_as_long(may: Callable[[], bool], lines: Iterator[bytes]) -> Iterator[bytes]:
    """Hand lines on while whoever asked may read them; the last one says why no more come."""
    for line in lines:
        if not may():
            yield _line({"error": NO_LONGER})
            return
        yield line


def _line(message: dict[str, Any]) -> bytes:
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    return text.encode(errors="backslashreplace") + b"\n"  # half a surrogate pair, as JSON writes it
