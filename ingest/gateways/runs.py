"""A fragment that runs: what computes it, and what it says.

begin   a new incarnation: nothing is said until the answer is whole
settle  at once where the own devices are all there is; where gateways join, once they fell silent
change  from then on, the delta of each tick
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.model.clock import SECOND
from ingest.gateways.devices import Readings
from ingest.gateways.fragments import Fragment
from ingest.gateways.joins import JoinedRun, Recent
from ingest.gateways.local import Local, Rows
from ingest.gateways.mesh import Mesh, Message
from ingest.gateways.results import Body, Results

SILENCE = SECOND // 2
PATIENCE = 4 * SECOND


class Pace(NamedTuple):
    """How many rows a message has at most, and how fast the building's time runs."""

    packet: int = 25
    speed: float = 1.0

    def is_over(self, passed: int, period: int) -> bool:
        """Tell whether a period of real time is over, of the building's time that passed."""
        return passed >= period * self.speed


class Computes(Protocol):
    """What computes a fragment."""

    def spoke(self) -> bool: ...
    def start(self, recent: Recent, now: int) -> None: ...
    def renew(self, now: int) -> None: ...
    def step(self, readings: Readings, now: int) -> Rows: ...
    def heard(self, message: Message) -> None: ...
    def settle(self) -> Rows: ...


class AloneRun:
    """A fragment over the own devices."""

    def __init__(self, fragment: Fragment) -> None:
        self._local = Local(fragment.plan)

    def spoke(self) -> bool:
        return False

    def start(self, recent: Recent, now: int) -> None:
        self._local.start(recent, now)

    def renew(self, now: int) -> None:
        """Nothing of it is anywhere else."""

    def step(self, readings: Readings, now: int) -> Rows:
        return self._local.step(readings, now)

    def heard(self, message: Message) -> None:
        """No other gateway has a part in it."""

    def settle(self) -> Rows:
        return self._local.contents()


class Run:
    """One fragment, installed."""

    def __init__(self, fragment: Fragment, mesh: Mesh, pace: Pace, say: Callable[[Body], None]) -> None:
        self.fragment = fragment
        self._pace = pace
        join = fragment.join
        self._computes: Computes = (
            AloneRun(fragment) if join is None else JoinedRun(fragment, join, mesh, pace.packet)
        )
        self._waits = join is not None
        self._results = Results(pace.packet, say)
        self._begun = self._spoke = 0

    def start(self, recent: Recent, incarnation: int, now: int) -> None:
        """Start from what the devices said lately."""
        self._computes.start(recent, now)
        self.say_again(incarnation, now)

    def renew(self, incarnation: int, now: int) -> None:
        """Begin anew in a new topology."""
        self._computes.renew(now)
        self.say_again(incarnation, now)

    def say_again(self, incarnation: int, now: int) -> None:
        """Begin a new incarnation of the results."""
        self._begun = self._spoke = now
        self._results.begin(incarnation)

    def heard(self, message: Message) -> None:
        self._computes.heard(message)

    def step(self, readings: Readings, now: int) -> None:
        """Take what came, and say what changed."""
        delta = self._computes.step(readings, now)
        if self._results.is_settled:
            self._results.change(delta)
        elif self._is_whole(now):
            self._results.settle(self._computes.settle())

    def _is_whole(self, now: int) -> bool:
        if self._computes.spoke():
            self._spoke = now
        over = self._pace.is_over
        return not self._waits or over(now - self._spoke, SILENCE) or over(now - self._begun, PATIENCE)
