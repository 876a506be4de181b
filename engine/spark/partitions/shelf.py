"""The shares that one keeper holds, and what each made of its last round.

    hold   a fresh share of a plan             take n   carry out round n, of several plans at once too;
                                                        again, its answer is the same
    send   what round n sends, if it is much   drop     forget a plan's shares

A round that is asked for out of turn means that a share was lost and made anew elsewhere, or here: who asks
is told that it is missing, and makes all shares of the plan anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.model.errors import SmartCISError
from engine.operators.budget import Budget, BudgetExceeded
from engine.partitions.hashing import Partition
from engine.partitions.orders import Order
from engine.partitions.round import Held, Make, Round

LITTLE = 64_000  # bytes that a share sends in a round through the driver
Sending = list[tuple[Partition, bytes]]


class Bounds(NamedTuple):
    """What a share may hold, of a budget whose clock is the driver's."""

    rows: int
    rounds: int
    bytes: int

    def budget(self) -> Budget:
        return Budget(rows=self.rows, rounds=self.rounds, bytes=self.bytes)


class Place(NamedTuple):
    """A share by name: which life of which plan (``plan/life``), and which partition of how many."""

    plan: str
    partition: Partition
    partitions: int


class Hold(NamedTuple):
    """Have a fresh share."""

    place: Place
    make: Make
    bounds: Bounds


class Take(NamedTuple):
    """Carry out the round of a number."""

    place: Place
    number: int
    order: Order
    arriving: list[bytes]


class Send(NamedTuple):
    """Hand out what the last round sends and did not answer with."""

    place: Place
    number: int


class Drop(NamedTuple):
    """Forget the shares of a plan, whatever its life."""

    plan: str


class Several(NamedTuple):
    """Carry out rounds of several plans."""

    takes: Sequence[Take]


Asked = Hold | Take | Several | Send | Drop


class Answer(NamedTuple):
    """What a share tells; ``sending`` goes through the driver, else it ``keeps`` what it sends."""

    told: Round
    sending: Sending
    keeps: bool


class Failed(NamedTuple):
    """Why a share cannot go on; ``is_ours`` says that nobody but us can mend it."""

    reason: str
    is_ours: bool


class Missing(NamedTuple):
    """There is no such share, or it has not got so far."""


Taken = Answer | Failed | Missing


class Answers(NamedTuple):
    """What came of each of several."""

    each: Sequence[Taken]


Answered = Taken | Answers | Sending | None


@dataclass
class Kept:
    """A share, the number of its last round, and what came of it."""

    share: Held
    number: int = 0
    answer: Answer | Failed | None = None
    sending: Sending = field(default_factory=list)


class Shelf:
    """Shares by place."""

    def __init__(self) -> None:
        self._kept: dict[Place, Kept] = {}

    def answer(self, asked: Asked) -> Answered:
        match asked:
            case Hold(place, make, bounds):
                self._forget(place.plan.rpartition("/")[0], but=place.plan)
                held = make(place.partition, place.partitions, bounds.budget())
                self._kept[place] = Kept(held)
            case Take():
                return self._taken(asked)
            case Several(takes):
                return Answers([self._taken(each) for each in takes])
            case Send(place, number):
                kept = self._kept.get(place)
                return kept.sending if kept is not None and kept.number == number else Missing()
            case Drop(plan):
                self._forget(plan)
        return None

    def _forget(self, plan: str, but: str = "") -> None:
        """Forget the shares of a plan's lives."""
        for place in [each for each in self._kept if each.plan.rpartition("/")[0] == plan]:
            if place.plan != but:
                del self._kept[place]

    def _taken(self, asked: Take) -> Taken:
        kept = self._kept.get(asked.place)
        if kept is None or asked.number not in (kept.number, kept.number + 1):
            return Missing()
        if asked.number == kept.number + 1:
            kept.number, kept.sending = asked.number, []
            kept.answer = self._carried_out(kept, asked)
        return kept.answer or Missing()

    def _carried_out(self, kept: Kept, asked: Take) -> Answer | Failed:
        try:
            out, told = kept.share.carry_out(asked.order, asked.arriving)
        except (BudgetExceeded, SmartCISError) as error:
            return Failed(str(error), is_ours=False)
        except Exception as error:
            return Failed(f"{type(error).__name__}: {error}", is_ours=True)
        sending = [(receiver, each.content) for receiver, each in out]
        if sum(len(content) for _, content in sending) <= LITTLE:
            return Answer(told, sending, keeps=False)
        kept.sending = sending
        return Answer(told, [], keeps=True)
