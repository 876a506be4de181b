"""When each device speaks next: a heap of turns, on a grid so that one wake serves many devices.

A device is a function of the time that speaks and returns when it wants its next turn. It is told the time at
which its turn was due, so that periods do not drift; after a long halt, the time it is. What another
thread calls for is done at once, between two turns.
"""

from collections.abc import Callable
from contextlib import suppress
from heapq import heapify, heappop, heappush
from queue import Empty, SimpleQueue
from random import Random
from threading import Event

from engine.model.clock import Clock

GRID = 100_000
SECOND = 1_000_000
Device = Callable[[int], int]
Call = Callable[[], None]


class Rota:
    """Runs devices until it is told to stop; `speed` is how fast its clock runs against real time."""

    def __init__(self, clock: Clock, speed: float) -> None:
        self.clock, self._speed = clock, speed
        self.stop = Event()
        self._devices: list[tuple[Device, int]] = []
        self._turns: list[tuple[int, int]] = []
        self._calls: SimpleQueue[Call] = SimpleQueue()

    def add(self, device: Device, within: float) -> None:
        """Enrol a device; its first turn, and that after a reconnect, comes within so many seconds."""
        self._devices.append((device, int(within * SECOND)))

    def begin(self) -> None:
        """Give every device a first turn: at a start, and whenever all must be said again."""
        now, draw = self.clock.now(), Random(len(self._devices))
        self._turns = [(now + draw.randrange(within + 1), n) for n, (_, within) in enumerate(self._devices)]
        heapify(self._turns)

    def run(self, must_begin_again: Callable[[], bool]) -> None:
        """Give turns as they fall due."""
        self.begin()
        while not self.stop.is_set():
            if must_begin_again():
                self.begin()
            self.give_turns(self.clock.now())
            due = self._turns[0][0] if self._turns else self.clock.now() + SECOND
            on_grid = -(-due // GRID) * GRID
            self._wait(max(on_grid - self.clock.now(), 0) / SECOND / self._speed)

    def call(self, action: Call) -> None:
        """Have something done on the rota's thread; safe from any thread and from a signal's handler."""
        self._calls.put(action)

    def end(self) -> None:
        """Give no more turns; safe from wherever `call` is."""
        self.call(self.stop.set)

    def _wait(self, seconds: float) -> None:
        with suppress(Empty):
            self._calls.get(timeout=seconds)()

    def give_turns(self, now: int) -> None:
        """Let all speak whose turn has come."""
        while self._turns and self._turns[0][0] <= now:
            due, n = heappop(self._turns)
            wanted = self._devices[n][0](due if now - due < SECOND else now)
            heappush(self._turns, (max(wanted, due + 1), n))
