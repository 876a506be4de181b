"""Where the two sides of a join meet, as one gateway sees it, in one topology.

    L', R'  the rows that are here to be joined:  the own ones that stay and those that travelled here
    the answer  =  Σ over gateways of  plan(L' ⋈ R')

A pair of rows that meets is together at one gateway and no other: where the side that stays is (natural,
semi) or at the base station (base, bloom).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from engine.model.reading import Reading
from engine.model.values import Row
from engine.plan.physical import Physical
from ingest.gateways.bitmap import CountedKeys
from ingest.gateways.devices import Readings
from ingest.gateways.exchange import Exchange
from ingest.gateways.local import Local, Rows
from ingest.gateways.mesh import Mesh, Message
from ingest.gateways.methods import LEFT, SIDES, Method
from ingest.gateways.standing import Change, Standing
from ingest.gateways.travelling import Travelling

NAMES = ("left", "right")
"""What the plan that joins calls the two relations that it reads."""


class Asked(NamedTuple):
    """What is joined: under which name, how, by which keys of the sides, and what is made of the pairs."""

    fragment: tuple[str, int]
    method: Method
    keys: tuple[Callable[[Row], Row], Callable[[Row], Row]]
    above: Physical


class Meeting:
    """One gateway's part; ``was_busy`` tells whether gateways spoke since it was last set to False."""

    def __init__(
        self, asked: Asked, mesh: Mesh, packet: int, now: int, standing: Standing | None = None
    ) -> None:
        self._method, self._keys = asked.method, asked.keys
        self._mesh = mesh
        self._exchange = Exchange(asked.fragment, mesh, packet, standing)
        self._travelling = tuple(self._traveller(side) for side in SIDES)
        self._counted = CountedKeys()
        self._arrived: list[Change] = [] if standing is None else standing.changes()
        self._joined = Local(asked.above)
        self._joined.start(lambda _: (), now)
        self.was_busy = True

    def take(self, changes: Sequence[Rows], owned: Rows) -> None:
        """Take changes of both sides, and rows of the side that stays with its selections left out."""
        owns = self._method.owns
        if owns is not None:
            keys = {self._keys[owns](row) for each in (owned, changes[owns]) for row in each}
            keys = {key for key in keys if None not in key}
            self._exchange.own(keys)
            self._travelling[1 - owns].again(keys)
        for side in SIDES:
            came, gone = self._travelling[side].take(changes[side])
            if side == self._method.filters:
                self._count(came, gone)

    def step(self, now: int) -> Rows:
        """Send what travels, join what is here, and return how the answer that is computed here changes."""
        self.was_busy |= self._exchange.is_loaded
        arrived = self._arrived + self._exchange.flush()
        self._arrived = []
        return self._joined.step(as_readings(arrived, now), now)

    def heard(self, message: Message) -> None:
        """Take what another gateway says."""
        self.was_busy = True
        heard = self._exchange.heard(message)
        self._arrived += heard.rows
        if heard.keys != []:
            self._travelling[LEFT if self._method.owns is None else 1 - self._method.owns].again(heard.keys)

    @property
    def said(self) -> Standing:
        """What gateways said."""
        return self._exchange.said

    def contents(self) -> Rows:
        """Return the answer that is computed here."""
        return self._joined.contents()

    def _traveller(self, side: int) -> Travelling:
        def ship(to: str, row: Row, count: int) -> None:
            self._exchange.ship(to, side, row, count)

        return Travelling(self._keys[side], partial(self._wanted, side), ship)

    def _wanted(self, side: int, key: Row) -> frozenset[str]:
        """Return the gateways at which rows of a side with a key are joined."""
        if self._method.owns is not None:
            return frozenset({self._mesh.name}) if side == self._method.owns else self._exchange.owners(key)
        base = self._mesh.base_gateway
        is_let_through = self._method.filters in (None, side) or self._exchange.may_be_there(key)
        return frozenset({base}) if base is not None and is_let_through else frozenset()

    def _count(self, came: Iterable[Row], gone: Iterable[Row]) -> None:
        for key in came:
            self._counted.add(key)
        for key in gone:
            self._counted.remove(key)
        if self._exchange.show(self._counted.bits):
            self._travelling[LEFT].again()


def as_readings(changes: Sequence[Change], now: int) -> Readings:
    """Return rows that come and go as what feeds the two sides of the join here."""
    found: dict[str, list[Reading]] = {}
    for side, sign, row in changes:
        found.setdefault(NAMES[side], []).append(Reading(NAMES[side], sign, row, 0, 0, now))
    return found
