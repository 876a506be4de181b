"""What the peers of absorption share: they work off their changes one after the other.

    insert, delete ──▶ wait ──▶ settle: each change in its phases, to the end ──▶ close

Neither is right while changes overlap, and the barrier between phases costs them nothing here.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Iterable
from random import Random
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.network.channels import Address, Channels
from engine.network.placement import Owner, hashed
from engine.network.wiring import first_value, wired, without_best
from engine.operators.delta import Delta
from engine.plan.program import Program

Homes = dict[Address, list[Row]]


class Change(NamedTuple):
    """Base rows to insert (+1) or delete (-1)."""

    sign: int
    relation: int
    rows: tuple[Row, ...]


class Peer(ABC):
    """A program over sites, without aggregate selection."""

    def __init__(self, program: Program, sites: int, owner: Owner | None) -> None:
        self._owner = owner or hashed(sites)
        self._wiring = wired(without_best(program))
        self.channels = Channels(self._receive)
        self._base: set[tuple[int, Row]] = set()
        self._changes: deque[Change] = deque()
        defined = range(len(program.inputs), len(program.inputs) + len(program.definitions))
        self._told: dict[int, set[Row]] = {relation: set() for relation in defined}

    def insert(self, relation: int, rows: Iterable[Row]) -> None:
        """Insert base rows; one that is there changes nothing."""
        self._changes.append(Change(1, relation, tuple(rows)))

    def assume(self, relation: int, rows: Iterable[Row]) -> None:
        """Insert base rows that are never deleted; here they are rows like others."""
        self.insert(relation, rows)

    def delete(self, relation: int, rows: Iterable[Row]) -> None:
        """Delete base rows; one that is not there is ignored."""
        self._changes.append(Change(-1, relation, tuple(rows)))

    def settle(self, random: Random | None = None) -> None:
        """Work off all changes."""
        while self._changes:
            change = self._changes.popleft()
            work_off = self._insert if change.sign > 0 else self._delete
            work_off(change.relation, self._homes(change), random)

    def close(self) -> dict[int, Delta[int]]:
        """Return how each defined relation changed since the last close."""
        deltas: dict[int, Delta[int]] = {}
        for relation, before in self._told.items():
            after = self._told[relation] = set(self.view(relation))
            deltas[relation] = dict.fromkeys(after - before, 1) | dict.fromkeys(before - after, -1)
        return deltas

    @abstractmethod
    def view(self, relation: int) -> Collection[Row]:
        """Return the rows of a relation as they stand."""

    @abstractmethod
    def _insert(self, relation: int, homes: Homes, random: Random | None) -> None: ...

    @abstractmethod
    def _delete(self, relation: int, homes: Homes, random: Random | None) -> None: ...

    @abstractmethod
    def _receive(self, sender: Address, receiver: Address, content: Any) -> None: ...

    def _homes(self, change: Change) -> Homes:
        """Return the rows that do change something, with their owners."""
        homes: Homes = {}
        for row in change.rows:
            if ((change.relation, row) in self._base) != (change.sign > 0):
                homes.setdefault(self._owner(first_value(row)), []).append(row)
                self._base ^= {(change.relation, row)}
        return homes
