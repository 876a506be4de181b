"""How much an operator may do and hold, so that one query cannot stop the building.

rows put out in one step  <=  ``rows``          rows held by a leaf or a view  <=  ``rows``
rounds of a recursion in one step  <=  ``rounds``
bytes that a view's nodes keep  <=  ``bytes``   seconds that they take in a tick  <=  ``seconds``

Rows and rounds are counted inside a step, and a step that runs on and on is stopped by the meter. What
nodes keep and how long ticks take is looked at between steps (``engine.limits``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

# A tick is noisy: one that takes ten times what is allowed is stopped, a lesser excess must last.
GROSS = 10
LOOK = 1_024


class BudgetExceeded(Exception):
    """An operator went over its budget; the views above it are suspended with this reason."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a query says that it may use at most; None where it says nothing."""

    rows: int | None = None
    rounds: int | None = None
    bytes: int | None = None
    seconds: float | None = None


NO_LIMITS = Limits()


class Meter:
    """Stops a step that runs on and on; the clock, of computing time, is given.

    Steps are many and nearly all short, so the clock is first looked at when a step has asked a while.
    """

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.clock = clock
        self._allowed = float("inf")
        self._asked = 0
        self._deadline: float | None = None

    def begin(self, seconds: float) -> None:
        """Begin a step that may take so long."""
        self._allowed, self._deadline = seconds, None

    def check(self) -> None:
        """Look at the clock once in a while."""
        self._asked += 1
        if not self._asked % LOOK:
            self.look()

    def look(self) -> None:
        """Look at the clock."""
        now = self.clock()
        if self._deadline is None:
            self._deadline = now + self._allowed
        elif now > self._deadline:
            message = "one step took ten times what a tick is allowed; relate its inputs, or shorten a window"
            raise BudgetExceeded(message)


@dataclass(frozen=True, slots=True)
class Budget:
    """A bound, asked by whoever is about to cross it."""

    rows: int = 1_000_000
    rounds: int = 20_000
    bytes: int = 1_000_000_000
    seconds: float = 5.0
    meter: Meter = field(default_factory=Meter, compare=False)

    def within(self, limits: Limits) -> "Budget":
        """Return the budget of a query that says less of something; none may have more."""
        if limits == NO_LIMITS:
            return self
        return Budget(
            min(self.rows, limits.rows or self.rows),
            min(self.rounds, limits.rounds or self.rounds),
            min(self.bytes, limits.bytes or self.bytes),
            min(self.seconds, limits.seconds or self.seconds),
            self.meter,
        )

    def check(self, rows: int, what: str) -> None:
        self.meter.check()
        if rows > self.rows:
            raise BudgetExceeded(self.reason(what))

    def reason(self, what: str) -> str:
        remedy = "add a condition that relates its inputs, or a shorter window"
        return f"{what} went over {self.rows:,} rows; {remedy}"
