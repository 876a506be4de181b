"""How much an operator may do and hold, so that one query cannot stop the building.

rows put out in one step  <=  ``rows``          rows held by a leaf or a view  <=  ``rows``
rounds of a recursion in one step  <=  ``rounds``
bytes that a view's nodes keep  <=  ``bytes``   seconds that they take in a tick  <=  ``seconds``
seconds that all of them take to start, where somebody waits  <=  ``start``

Rows and rounds are counted inside a step, and a step that runs on and on is stopped by the meter: it has
the allowance of the step, the largest of the views above its node. What nodes keep and how long ticks
take is looked at between steps (``engine.limits``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

# A tick is noisy: one that takes three times what is allowed is stopped, a lesser excess must last.
GROSS = 3
START = "what it asks was computed for over"
LOOK = 1_024
RELATE = "add a condition that relates its inputs, or a shorter window"
BOUND = "bound what it counts up, relate its inputs, or shorten a window"


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


class Allowance(NamedTuple):
    """The seconds and rows of one step, or of all the steps of a start together."""

    seconds: float = float("inf")
    rows: float = float("inf")
    is_whole: bool = False


UNBOUNDED = Allowance()


class Meter:
    """Stops a step that runs on and on; the clock, of computing time, is given.

    Steps are many and nearly all short, so the clock is first looked at when a step has asked a while.
    """

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.clock = clock
        self._allowed = UNBOUNDED
        self._asked = 0
        self._deadline: float | None = None
        self.made = 0

    @property
    def rows(self) -> float:
        """How many rows the step may hold or put out."""
        return self._allowed.rows

    def begin(self, allowed: Allowance) -> None:
        """Begin a step, or the steps of a start, for which the clock runs at once."""
        self._allowed, self.made = allowed, 0
        self._deadline = self.clock() + allowed.seconds if allowed.is_whole else None

    def check(self, did: int = 1) -> None:
        """Look at the clock once so much was done."""
        self._asked += did
        if self._asked >= LOOK:
            self._asked = 0
            self.look()

    def look(self) -> None:
        """Look at the clock."""
        now = self.clock()
        if self._deadline is None:
            self._deadline = now + self._allowed.seconds
        elif now > self._deadline:
            most = milliseconds(self._allowed.seconds)
            over = "one step took three times what a tick is allowed, over"
            message = f"{START if self._allowed.is_whole else over} {most}; {BOUND}"
            raise BudgetExceeded(message)


def milliseconds(seconds: float) -> str:
    return f"{float(f'{seconds * 1000:.3g}'):,g} ms"


def told(held: int, most: int) -> str:
    """Say how many rows are held, and how many may be where these are more."""
    return f"{held:,} rows, over {most:,}," if held > most else f"{held:,} rows"


@dataclass(frozen=True, slots=True)
class Budget:
    """A bound, asked by whoever is about to cross it."""

    rows: int = 1_000_000
    rounds: int = 20_000
    bytes: int = 1_000_000_000
    seconds: float = 2.0
    meter: Meter = field(default_factory=Meter, compare=False)
    start: float = 1.0

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
            min(self.start, limits.seconds or self.start),
        )

    @property
    def of_start(self) -> Allowance:
        """What a start may take for which somebody waits."""
        return Allowance(self.start, self.rows, is_whole=True)

    @property
    def of_step(self) -> Allowance:
        return Allowance(GROSS * self.seconds, self.rows)

    @property
    def most(self) -> int:
        """How many rows the step that runs may hold or put out."""
        return int(min(self.rows, self.meter.rows))

    def check_texts(self, characters: int) -> None:
        """Stop a step that makes so many characters more than may be kept."""
        self.meter.made += characters
        if self.meter.made > self.bytes:
            message = f"texts of over {self.bytes / 1_000_000:,.3g} MB were made at once; make them shorter"
            raise BudgetExceeded(message)

    def check(self, rows: int, what: str, did: int = 1) -> None:
        """Stop a step that holds or puts out too many rows; look at the clock once so much was done."""
        self.meter.check(did)
        if rows > self.rows or rows > self.meter.rows:
            message = f"{what} went over {self.most:,} rows; {RELATE}"
            raise BudgetExceeded(message)
