"""What the web side asks of ways; and who answers: the engine's views and the log."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from app.ways.holding import Held, Holding
from app.ways.moving import Moving
from app.ways.shared import SharedWays
from app.ways.wish import Known, Wish
from engine.lang.streamsql import Statement
from engine.model.clock import Clock
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.service import Engine
from engine.session import Session
from ingest.log import Log


class Ways(Protocol):
    """Ways for visitors, from any thread."""

    def known(self) -> Known: ...

    def want(self, wish: Wish) -> tuple[str, Sequence[Column]]: ...

    def hold(self, wish: Wish, point: str, kiosk: str) -> Held: ...

    def release(self, hold: str, reason: str) -> str: ...


class NoWays:
    """A server that knows of no ways."""

    def known(self) -> Known:
        return Known((), (), (), ())

    def want(self, wish: Wish) -> tuple[str, Sequence[Column]]:
        message = f"no way to {wish.text} is known: this server has no building"
        raise QueryError(message)

    def hold(self, wish: Wish, point: str, kiosk: str) -> Held:
        message = f"nothing can be held for {kiosk}: this server has no log"
        raise QueryError(message)

    def release(self, hold: str, reason: str) -> str:
        message = f"{hold} cannot be {reason}: this server has no log"
        raise QueryError(message)


class RealWays:
    """The ways of a running building."""

    def __init__(
        self, engine: Engine, session: Session, log: Log, clock: Clock, script: Iterable[Statement]
    ) -> None:
        shared = SharedWays(engine, session, script)
        holding = Holding(engine, log, clock, shared)
        self.known, self.want = shared.known, shared.want
        self.hold, self.release = holding.hold, holding.release
        self.moving = Moving(engine, holding)
