"""Example 14 in a mesh of motes: seats and rooms that are drawn anew each epoch, and every hop counted.

    seat ─┬─ 1 ─ … ─ h-1 ─ base        a seat and its room are h hops from base, and d from each other:
    room ─┘                            over 1 where d is 2, and also linked to each other where d is 1

Each seat and each room is a gateway of its own, as a mote is. All that is drawn for one epoch is said
before anything is joined, so that what flips within it is counted once, as the formulas have it.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, Example 14.
"""

from collections import Counter
from random import Random
from typing import NamedTuple

from engine.model.values import Row
from federated.sites.sensor import Pair, apart, hop_messages
from tests.gateway_parts import House, planned

SEATS, ROOMS = 40, 4
FREE = "s.weight < 1 AND s.room = r.room AND r.open"
JOINED = f"SELECT s.seat, r.room FROM seats s, rooms r WHERE {FREE}"
APART = ("SELECT seat, room FROM seats WHERE weight < 1", "SELECT room FROM rooms WHERE open")
ONCE = "owned"


class Case(NamedTuple):
    """How likely a seat is free and a room open, hops from a seat to its room, and from both to base."""

    free: float
    open: float
    between: int
    to_base: int

    @property
    def pair(self) -> Pair:
        """The same for the formulas; a device speaks once an epoch."""
        motes = SEATS + ROOMS + self.to_base - 1
        return Pair(
            SEATS,
            ROOMS,
            self.free,
            self.open,
            self.between,
            self.to_base,
            motes,
            false_positives=0.0,
            rate=1.0,
        )

    def estimated(self, method: str, at_own_times: bool = False) -> float:
        pair = self.pair._replace(right_rate=1.0) if at_own_times else self.pair
        return apart(pair) if method == "apart" else hop_messages(pair, method)


class MeshBuilding:
    """One building with one way of joining in it."""

    def __init__(self, case: Case, method: str, seed: int) -> None:
        self.case, self.method = case, method
        self.random = Random(seed)
        self.seats = [f"seat{n:02}" for n in range(SEATS)]
        self.rooms = [f"room{n}" for n in range(ROOMS)]
        self.chain = [f"way{n}" for n in range(1, case.to_base)]
        self.house = House(self._links(), self.random, packet=1)
        for name in (*self.seats, *self.rooms, *self.chain):
            self.house.start(name)
        self.free: set[str] = set()
        self.open: set[str] = set()
        self._say()
        queries = APART if method == "apart" else (JOINED,)
        plans = [planned(query, self.house.sources) for query in queries]
        self.keys = [self.house.install(plan, "natural" if method == "apart" else method) for plan in plans]
        self.house.settle()
        self._before = self._counted()

    def epoch(self) -> None:
        """Draw everything anew, and let it be said and joined."""
        self.house.now += 1_000
        self._say()
        seats, rooms = self.seats, self.rooms
        for names in (rooms, seats) if self.method in ("semi", "bloom") else (seats, rooms):
            self.house.tick(*names)
            self.house.deliver()
        self.house.tick(*self.chain)
        self.house.deliver()

    def moment(self) -> None:
        """Draw one device anew; what follows from it is said and joined before the next one speaks."""
        self.house.now += 1_000
        device = self.random.choice((*self.seats, *self.rooms))
        if device in self.rooms:
            self._set(device, self.open, self.random.random() < self.case.open)
            self._room_says(device)
        else:
            self._set(device, self.free, self.random.random() < self.case.free)
            self._seat_says(device)
        room = device if device in self.rooms else self.room_of(device)
        others = (room, *(seat for seat in self.seats if self.room_of(seat) == room))
        for names in ((device,), others, self.chain):
            self.house.deliver()
            self.house.tick(*names)
        self.house.deliver()

    def counted(self) -> int:
        """Count the hops since the beginning, those not among them by which keys are made known once."""
        return self._counted() - self._before

    def answer(self) -> Counter[Row]:
        return self.house.rows(self.keys[0])

    def expected(self) -> Counter[Row]:
        return Counter((seat, room) for seat in self.free if (room := self.room_of(seat)) in self.open)

    def room_of(self, seat: str) -> str:
        return self.rooms[self.seats.index(seat) % ROOMS]

    def _say(self) -> None:
        self.free = {seat for seat in self.seats if self.random.random() < self.case.free}
        self.open = {room for room in self.rooms if self.random.random() < self.case.open}
        for seat in self.seats:
            self._seat_says(seat)
        for room in self.rooms:
            self._room_says(room)
        self.house.deliver()

    def _seat_says(self, seat: str) -> None:
        weight = 0.0 if seat in self.free else 60.0
        self.house.says(seat, f"seat/{seat}", room=self.room_of(seat), weight=weight)

    def _room_says(self, room: str) -> None:
        self.house.says(room, f"room/{room}", room=room, open=room in self.open)

    @staticmethod
    def _set(device: str, among: set[str], is_so: bool) -> None:
        (among.add if is_so else among.discard)(device)

    def _links(self) -> dict[str, list[str]]:
        chain = [*self.chain, "base"]
        links = {name: [chain[at + 1]] for at, name in enumerate(self.chain)}
        for room in self.rooms:
            links[room] = [chain[0]]
        for seat in self.seats:
            links[seat] = [chain[0], *([self.room_of(seat)] if self.case.between == 1 else [])]
        return links

    def _counted(self) -> int:
        found = 0
        for agent in self.house.agents.values():
            by = agent.mesh.counted()["by"]
            found += sum(n for key in self.keys for kind, n in by.get(key, {}).items() if kind != ONCE)
        return found
