"""One view for all who wish the same, there for as long as somebody watches it.

    want(wish)  →  the view's name; made where there is none yet
    a tick      →  what nobody has watched or wanted for three minutes goes

The views are not in a snapshot: whoever comes back after a restart asks again, by the same wish, and gets
the same name. Everything here that begins with _ runs on the engine thread, so a view is made once.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from app.wayfinding import binder
from app.ways.facts import Facts
from app.ways.plans import kinds, way_to
from app.ways.wish import Known, Thing, Wish
from engine.contracts import Stamp
from engine.lang.streamsql import Statement
from engine.model.clock import SECOND
from engine.model.errors import QueryError, SmartCISError
from engine.model.relation import Column
from engine.model.values import Row
from engine.service import Engine
from engine.session import Session

MOST = 200
UNWATCHED = 180 * SECOND
FRESH = 10 * SECOND
EACH = 10 * SECOND


class TooManyWishes(SmartCISError):
    """Every place for a view is taken by one that somebody watches."""


class SharedWays:
    """The views of wishes over a session; ``script`` are the building's own views."""

    def __init__(
        self, engine: Engine, session: Session, script: Iterable[Statement], most: int = MOST
    ) -> None:
        self._engine, self._session, self._most = engine, session, most
        self._facts = Facts(binder(session.catalog, script))
        self._wanted: dict[str, int] = {}
        self._looked = 0
        self._kinds_of: tuple[frozenset[str], tuple[str, ...]] = frozenset(), ()
        engine.on_tick(self._look)

    def known(self) -> Known:
        """Return what may be wished for by now."""
        return self._engine.ask(self._known)

    def want(self, wish: Wish) -> tuple[str, Sequence[Column]]:
        """Return the view of a wish, from now on there for a while."""
        return self._engine.ask(partial(self._want, wish))

    def row_at(self, wish: Wish, point: str) -> Row | None:
        """Return where a wish leads from a routing point; None where that is nowhere."""
        return self._engine.ask(partial(self._row_at, wish, point))

    def rows(self, view: str) -> list[Row]:
        """Return the rows of a view; none where the building has not what it reads."""
        return self._engine.ask(partial(self._rows, view))

    @contextmanager
    def watching(self, wish: Wish) -> Iterator[None]:
        """Watch a wish's view, so that it stays and ticks come as fast as for somebody who looks."""
        name, _ = self.want(wish)
        watched = self._engine.subscribe(name, lambda _change: None)
        try:
            yield
        finally:
            watched.close()

    def is_point(self, point: str) -> bool:
        return self._engine.ask(lambda: any(row[0] == point for row in self._rows("landmarks")))

    def _known(self) -> Known:
        asked = self._rows("askable")
        listed = {
            kind: tuple(sorted(str(v) for k, v in asked if k == kind)) for kind in ("software", "equipment")
        }
        things = sorted(
            Thing(str(kind), str(id), str(name)) for kind, id, name, *_ in self._rows("named_things")
        )
        return Known(self._kinds(), listed["software"], listed["equipment"], tuple(things))

    def _kinds(self) -> tuple[str, ...]:
        """Return the kinds of wishes, found anew when there are other relations."""
        relations = frozenset(relation.name for relation in self._session.catalog)
        if self._kinds_of[0] != relations:
            self._kinds_of = relations, kinds(self._facts)
        return self._kinds_of[1]

    def _rows(self, view: str) -> list[Row]:
        try:
            return [row for row, _ in self._session.snapshot(view).rows]
        except QueryError:
            return []

    def _want(self, wish: Wish) -> tuple[str, Sequence[Column]]:
        name = wish.view
        if name not in self._wanted:
            self._make_room()
            self._session.offer(name, way_to(self._facts, wish))
        self._wanted[name] = self._session.stamp.at
        return name, self._session.snapshot(name).columns

    def _row_at(self, wish: Wish, point: str) -> Row | None:
        name, _ = self._want(wish)
        return next((row for row, _ in self._session.snapshot(name).rows if row[0] == point), None)

    def _make_room(self) -> None:
        """Let the view go that was wanted longest ago, where there are too many."""
        if len(self._wanted) < self._most:
            return
        idle = self._idle(FRESH)
        if not idle:
            message = f"{self._most} wishes are being followed already; stop one, or ask again in a minute"
            raise TooManyWishes(message)
        self._let_go(min(idle, key=self._wanted.__getitem__))

    def _look(self, stamp: Stamp) -> None:
        """Let go, now and then, of what nobody has watched for long."""
        if stamp.at - self._looked < EACH:
            return
        self._looked = stamp.at
        for name in self._engine.watched() & self._wanted.keys():
            self._wanted[name] = stamp.at
        for name in self._idle(UNWATCHED):
            self._let_go(name)

    def _idle(self, since: int) -> list[str]:
        now, watched = self._session.stamp.at, self._engine.watched()
        return [name for name, at in self._wanted.items() if now - at > since and name not in watched]

    def _let_go(self, name: str) -> None:
        del self._wanted[name]
        self._session.drop(name)
