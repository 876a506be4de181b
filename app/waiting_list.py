"""What is to be done when the engine has read the log up to some offset."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from engine.contracts import Stamp
from engine.model.errors import SourceError
from engine.service import Engine

TICK_SECONDS = 30.0


@dataclass(eq=False)
class Due:
    """One thing, and how it went."""

    offset: int
    action: Callable[[], None]
    done: Event = field(default_factory=Event)
    failure: Exception | None = None


class WaitingList:
    """Runs each action on the engine thread, between two ticks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._due: list[Due] = []
        engine.on_tick(self._passed)

    def wait(self, offset: int, action: Callable[[], None] = lambda: None) -> None:
        """Return when the action was done; raise what it raised."""
        due = Due(offset, action)
        self._due.append(due)
        self._engine.ask(lambda: self._passed(self._engine.stamp()))  # it may have been read meanwhile
        if not due.done.wait(TICK_SECONDS):
            message = f"it is logged and comes with the next tick; none has closed for {TICK_SECONDS:.0f} s"
            raise SourceError(message)
        if due.failure is not None:
            raise due.failure

    def _passed(self, stamp: Stamp) -> None:
        for due in [due for due in self._due if due.offset <= stamp.offset]:
            self._due.remove(due)
            try:
                due.action()
            except Exception as error:
                due.failure = error
            due.done.set()
