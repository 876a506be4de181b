"""The sites of a program, wired by channels: views under insertions and deletions that may overlap.

    insert ──▶ owner ──▶ rows, over the channels, until nothing changes
    delete ──▶ owner ──▶ dead tokens, one message to every other site
    close  ──▶ the rows that came and went, once nothing is under way

Changes may be injected while earlier ones are under way; what is closed are then all of them, and
nothing in between was ever told. A site sends nothing with a token once it knows that it is dead,
and channels keep their order: so a token is drained when every site has been told and every channel
has delivered what was sent before that, and then tombstones go and its variable is free.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from engine.model.errors import InternalError
from engine.model.values import Row
from engine.network.channels import TOKEN, Address, Channels, Message, row_size
from engine.network.drain import Drain
from engine.network.flow import Parcel
from engine.network.placement import Owner, hashed
from engine.network.site import Portable, Site
from engine.network.wiring import Port, first_value, wired
from engine.operators.delta import Delta
from engine.operators.ship import LAZY, Policy
from engine.plan.program import Program
from engine.provenance.algebra import Token
from engine.provenance.tokens import Incarnations

A = TypeVar("A")


class Rows(NamedTuple):
    """The content of a message: annotated rows for a port."""

    port: Port
    rows: list[tuple[Row, Any]]


class Dead(NamedTuple):
    """The content of a message: tokens that are no more."""

    tokens: frozenset[Token]


class Network(Generic[A]):
    """A program over sites; ``make`` makes a site's algebra, or always the same one for all."""

    def __init__(
        self,
        program: Program,
        make: Callable[[], Portable[A]],
        sites: int,
        policy: Policy | None = LAZY,
        owner: Owner | None = None,
    ) -> None:
        self._owner = owner or hashed(sites)
        wiring = wired(program)
        self.sites = [Site(address, wiring, self._owner, make(), policy) for address in range(sites)]
        self._is_shared = len({id(site.algebra) for site in self.sites}) < sites
        self.channels = Channels(self._receive)
        self._drain = Drain(self.channels, sites)
        self._incarnations = Incarnations()
        self._tokens: dict[tuple[int, Row], Token] = {}
        self._defined = range(len(program.inputs), len(program.inputs) + len(program.definitions))

    def assume(self, relation: int, rows: Iterable[Row]) -> None:
        """Insert base rows that are never deleted, and so need no token."""
        homes: dict[Address, Delta[A]] = {}
        for row in rows:
            home = self._owner(first_value(row))
            homes.setdefault(home, {})[row] = self.sites[home].algebra.one
        for home, delta in homes.items():
            self._dispatch(home, self.sites[home].change(relation, delta))

    def insert(self, relation: int, rows: Iterable[Row]) -> None:
        """Insert base rows; one that is there is renewed, which changes nothing."""
        homes: dict[Address, Delta[A]] = {}
        for row in rows:
            if (relation, row) not in self._tokens:
                token = self._tokens[relation, row] = self._incarnations.fresh(relation, row)
                home = self._owner(first_value(row))
                homes.setdefault(home, {})[row] = self.sites[home].algebra.token(token)
        for home, delta in homes.items():
            self._dispatch(home, self.sites[home].change(relation, delta))

    def delete(self, relation: int, rows: Iterable[Row]) -> None:
        """Delete base rows; one that is not there is ignored."""
        homes: dict[Address, set[Token]] = {}
        for row in rows:
            token = self._tokens.pop((relation, row), None)
            if token is not None:
                self._incarnations.kill(token)
                homes.setdefault(self._owner(first_value(row)), set()).add(token)
        for home, tokens in homes.items():
            self._bury(home, frozenset(tokens))

    def settle(self, random: Random | None = None) -> None:
        """Deliver until nothing is under way: in rounds, or in an order that chance chooses."""
        self.channels.drain(random)
        self.recycle()

    def flush(self, random: Random | None = None) -> None:
        """Send what waits until nothing does, so that annotations hold every derivation."""
        self.settle(random)
        while any([self._dispatch(address, site.flush()) for address, site in enumerate(self.sites)]):
            self.settle(random)

    def advance(self, now: float) -> None:
        """Let the sites know what time it is."""
        for address, site in enumerate(self.sites):
            self._dispatch(address, site.advance(now))

    def close(self) -> dict[int, Delta[int]]:
        """Return how each defined relation changed since the last close."""
        if not self.channels.are_empty:
            message = "an epoch is closed when its messages are delivered, found some under way; settle first"
            raise InternalError(message)
        return {
            relation: {
                row: sign for site in self.sites for row, sign in site.fixpoints[relation].close().items()
            }
            for relation in self._defined
        }

    def view(self, relation: int) -> Mapping[Row, A]:
        """Return the rows of a relation as they stand, each annotated at its site."""
        return {row: a for site in self.sites for row, a in site.fixpoints[relation].rows().items()}

    def has(self, relation: int, row: Row) -> bool:
        return (relation, row) in self._tokens

    def token_of(self, relation: int, row: Row) -> Token:
        return self._tokens[relation, row]

    def recycle(self) -> None:
        """Forget the tombstones of tokens that nothing under way can hold, and free their variables."""
        drained = self._incarnations.drain(self._drain.take_drained())
        for site in self.sites if drained else ():
            site.tombstones.forget(drained)
            site.algebra.recycle(drained)

    def _bury(self, address: Address, dead: frozenset[Token]) -> None:
        """Retract at the owner, and tell every other site."""
        parcels = self.sites[address].retract(dead)
        others = [other for other in range(len(self.sites)) if other != address]
        for other in others:
            self.channels.send(address, other, Message("dead", len(dead), TOKEN * len(dead), 0, Dead(dead)))
        self._drain.told(address, dead)
        self._dispatch(address, parcels)

    def _receive(self, sender: Address, receiver: Address, content: Rows | Dead) -> None:
        site = self.sites[receiver]
        if isinstance(content, Dead):
            parcels = site.retract(content.tokens)
            self._drain.told(receiver, content.tokens)
        else:
            parcels = site.arrive(sender, content.port, self._unpacked(site, content.rows))
        self._dispatch(receiver, parcels)

    def _dispatch(self, sender: Address, parcels: Collection[Parcel[A]]) -> bool:
        algebra = self.sites[sender].algebra
        for receiver, port, rows in parcels:
            provenance = sum([algebra.size(annotation) for annotation in rows.values()])
            size = provenance + sum(map(row_size, rows))
            packed = Rows(port, self._packed(algebra, rows))
            kind = type(port).__name__.lower()
            self.channels.send(sender, receiver, Message(kind, len(rows), size, provenance, packed))
        return bool(parcels)

    def _packed(self, algebra: Portable[A], rows: Delta[A]) -> list[tuple[Row, Any]]:
        if self._is_shared:
            return list(rows.items())
        return [(row, algebra.to_plain(annotation)) for row, annotation in rows.items()]

    def _unpacked(self, site: Site[A], rows: list[tuple[Row, Any]]) -> Delta[A]:
        if self._is_shared:
            return dict(rows)
        return {row: site.algebra.from_plain(plain) for row, plain in rows}
