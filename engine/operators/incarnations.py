"""The rows of a fragment that gateways run: each gateway's own, as of its newest life that is complete.

    a message   =  rows (gateway, incarnation, sequence, settled, values…), and last one of sign 0
    held        =  Σ over gateways of the rows of its life that is shown

    life i' > i:  its rows are collected apart; at its settled message  -held(i)  +held(i')   at once
    in a life:    sequence n where n is due: counts;  less: was heard before;  more: n - due were lost

A gateway that is gone is believed what it said last. A life of which a message was lost before it settled
is never shown: its rows are not all there. One that loses a message later goes on, and is told to be
incomplete, until the gateway begins another, which it does after a loss. Sign -1 without a life takes back
all that a gateway said: it is there no more.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from engine.model.reading import Reading
from engine.operators.delta import Delta, add, merge
from engine.operators.leaf import State
from engine.provenance.algebra import Ring

A = TypeVar("A")
HEAD = 4


@dataclass(slots=True)
class Life(Generic[A]):
    """What one incarnation of a gateway said: ``due`` is the message to come, ``lost`` those that did not."""

    incarnation: int
    due: int = 0
    lost: int = 0
    rows: Delta[A] = field(default_factory=dict)

    def is_heard(self, sequence: int) -> bool:
        """Tell whether a message is another one again; count those that it shows to be lost."""
        if sequence < self.due:
            return True
        self.lost += sequence - self.due
        self.due = sequence
        return False


@dataclass(slots=True)
class Voice(Generic[A]):
    """One gateway: the life that is shown, and the one that is collected."""

    shown: Life[A] | None = None
    coming: Life[A] | None = None

    def life(self, incarnation: int) -> Life[A] | None:
        """Return the life that a message belongs to, a new one where it begins one; not one that is over."""
        newest = self.coming or self.shown
        if newest is None or incarnation > newest.incarnation:
            newest = self.coming = Life(incarnation)
        return newest if incarnation == newest.incarnation else None


class Incarnations(Generic[A]):
    """What all gateways hold of one fragment."""

    is_still: ClassVar[bool] = True

    def __init__(self, algebra: Ring[A]) -> None:
        self._algebra = algebra
        self._voices: dict[str, Voice[A]] = {}
        self.repeated = self.ignored_deletes = 0

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        for reading in readings:
            gateway, incarnation, sequence, settled = _head(reading)
            if incarnation is None:
                self._forget(gateway, change)
                continue
            voice = self._voices.setdefault(gateway, Voice())
            life = voice.life(incarnation)
            if life is None or life.is_heard(sequence):
                self.repeated += not reading.sign
            elif reading.sign:
                self._take(life, reading, change if life is voice.shown else None)
            else:
                life.due += 1
                if settled and life is voice.coming and not life.lost:
                    self._show(voice, life, change)
        return change

    def _take(self, life: Life[A], reading: Reading, change: Delta[A] | None) -> None:
        row = reading.row[HEAD:]
        if reading.sign < 0 and row not in life.rows:
            self.ignored_deletes += 1
            return
        annotation = self._algebra.one if reading.sign > 0 else self._algebra.negate(self._algebra.one)
        add(life.rows, row, annotation, self._algebra)
        if change is not None:
            add(change, row, annotation, self._algebra)

    def _show(self, voice: Voice[A], life: Life[A], change: Delta[A]) -> None:
        self._take_back(voice, change)
        merge(change, life.rows, self._algebra)
        voice.shown, voice.coming = life, None

    def _take_back(self, voice: Voice[A], change: Delta[A]) -> None:
        for row, annotation in voice.shown.rows.items() if voice.shown is not None else ():
            add(change, row, self._algebra.negate(annotation), self._algebra)

    def _forget(self, gateway: str, change: Delta[A]) -> None:
        if gateway in self._voices:
            self._take_back(self._voices.pop(gateway), change)

    def unanswered(self, voices: Collection[str]) -> list[str]:
        """Return which gateways have not said all of their rows."""
        return [name for name in voices if not self._is_complete(name)]

    def _is_complete(self, gateway: str) -> bool:
        voice = self._voices.get(gateway)
        return voice is not None and voice.shown is not None and not voice.shown.lost

    def lost(self) -> int:
        """Count the messages that the lives which are held never heard."""
        return sum(life.lost for life in self._lives())

    def contents(self) -> Delta[A]:
        found: Delta[A] = {}
        for voice in self._voices.values():
            if voice.shown is not None:
                merge(found, voice.shown.rows, self._algebra)
        return found

    def state(self) -> State:
        return [[name, _kept(voice.shown), _kept(voice.coming)] for name, voice in self._voices.items()]

    def restore(self, state: State) -> None:
        self._voices = {name: Voice(_life(shown), _life(coming)) for name, shown, coming in state}

    def __len__(self) -> int:
        return sum(len(life.rows) for life in self._lives())

    def _lives(self) -> Iterable[Life[A]]:
        both = [life for voice in self._voices.values() for life in (voice.shown, voice.coming)]
        return [life for life in both if life is not None]


def _head(reading: Reading) -> tuple[str, int | None, int, bool]:
    return reading.row[:HEAD]  # type: ignore[return-value]


def _kept(life: Life[Any] | None) -> list[Any] | None:
    return None if life is None else [life.incarnation, life.due, life.lost, list(life.rows.items())]


def _life(kept: list[Any] | None) -> Life[Any] | None:
    if kept is None:
        return None
    incarnation, due, lost, rows = kept
    return Life(incarnation, due, lost, dict(rows))
