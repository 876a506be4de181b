"""What a tick took has all in it that the next one waits for."""

from app.tick_trace import TickTrace
from engine.service import Engine
from tests.memory_log import MemoryLog
from tests.strategies import CATALOG


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 0

    def now(self) -> int:
        return self.at


def test_what_seeking_other_plans_takes_is_told_with_its_tick(monkeypatch):
    clock, session = Hand(), MemoryLog().session(CATALOG)
    monkeypatch.setattr(session, "adapt", lambda: setattr(clock, "at", clock.at + 7))
    engine = Engine(session)
    trace = TickTrace(engine, clock)
    trace.advance(1, 1, {})
    trace.advance(2, 2, {})
    engine.stop()
    assert [(each.began, each.closed) for each in trace.last()] == [(0, 7), (7, 14)]
