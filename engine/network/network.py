"""The sites of a program, wired by channels: views under insertions and deletions that may overlap.

    insert          ──▶ owner ──▶ rows, over the channels, until nothing changes
    delete, expiry  ──▶ owner ──▶ dead tokens, one message to every other site
    close           ──▶ the rows that came and went, once nothing is under way

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
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from engine.model.errors import InternalError
from engine.model.values import Row
from engine.network.channels import TOKEN, Address, Channels, Message, row_size
from engine.network.drain import Drain
from engine.network.flow import Parcel
from engine.network.placement import Owner, hashed
from engine.network.site import Portable, Site
from engine.network.wiring import Port, first_value, wired
from engine.operators.base_tokens import BaseTokens, Kind
from engine.operators.delta import Delta, add
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
    """A program over sites; ``make`` makes a site's algebra, or always the same one for all.

    An input relation that ``kinds`` does not name is a set whose rows stay until they are deleted.
    """

    def __init__(
        self,
        program: Program,
        make: Callable[[], Portable[A]],
        sites: int,
        policy: Policy | None = LAZY,
        owner: Owner | None = None,
        kinds: Mapping[int, Kind] = MappingProxyType({}),
    ) -> None:
        self._owner = owner or hashed(sites)
        wiring = wired(program)
        self.sites = [Site(address, wiring, self._owner, make(), policy) for address in range(sites)]
        self._is_shared = len({id(site.algebra) for site in self.sites}) < sites
        self.channels = Channels(self._receive)
        self._drain = Drain(self.channels, sites)
        self.incarnations = Incarnations()
        self.bases = [
            BaseTokens(kinds.get(relation, Kind(tuple(range(len(columns))))), self.incarnations, relation)
            for relation, columns in enumerate(program.inputs)
        ]
        self._now = 0.0
        self._defined = range(len(program.inputs), len(program.inputs) + len(program.definitions))

    def assume(self, relation: int, rows: Iterable[Row]) -> None:
        """Insert base rows that are never deleted, and so need no token."""
        homes: dict[Address, Delta[A]] = {}
        for row in rows:
            home = self._home(row)
            homes.setdefault(home, {})[row] = self.sites[home].algebra.one
        self._offer(relation, homes)

    def insert(self, relation: int, rows: Iterable[Row]) -> None:
        """Insert base rows; into a set, one that is there is renewed, which changes no view."""
        base = self.bases[relation]
        for row in rows:
            base.insert(row, self._now)
        self._tell_changes([relation])

    def delete(self, relation: int, rows: Iterable[Row]) -> None:
        """Delete base rows; one that is not there is ignored."""
        base = self.bases[relation]
        for row in rows:
            base.delete(row)
        self._tell_changes([relation])

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
        """Delete the base rows that expire, and let the sites know what time it is."""
        self._now = now
        for base in self.bases:
            base.expire(now)
        self._tell_changes(range(len(self.bases)))
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
        return bool(self.bases[relation].tokens_of(row))

    def token_of(self, relation: int, row: Row) -> Token:
        """Return the token of a base row; in a bag, of its oldest incarnation."""
        return self.bases[relation].tokens_of(row)[0]

    def recycle(self) -> None:
        """Forget the tombstones of tokens that nothing under way can hold, and free their variables."""
        drained = self.incarnations.drain(self._drain.take_drained())
        for site in self.sites if drained else ():
            site.tombstones.forget(drained)
            site.algebra.recycle(drained)

    def _tell_changes(self, relations: Iterable[int]) -> None:
        """Bury what died in base relations, all at once; then bring what was born to its owners."""
        changes = {relation: self.bases[relation].take_change() for relation in relations}
        graves: dict[Address, set[Token]] = {}
        for token in (token for change in changes.values() for token in change.dead):
            graves.setdefault(self._home(self.incarnations.origin(token).row), set()).add(token)
        for home, tokens in graves.items():
            self._bury(home, frozenset(tokens))
        for relation, change in changes.items():
            self._bear(relation, change.born)

    def _bear(self, relation: int, born: Mapping[Token, Row]) -> None:
        homes: dict[Address, Delta[A]] = {}
        for token, row in born.items():
            home = self._home(row)
            algebra = self.sites[home].algebra
            add(homes.setdefault(home, {}), row, algebra.token(token), algebra)
        self._offer(relation, homes)

    def _offer(self, relation: int, homes: Mapping[Address, Delta[A]]) -> None:
        for home, delta in homes.items():
            self._dispatch(home, self.sites[home].change(relation, delta))

    def _home(self, row: Row) -> Address:
        return self._owner(first_value(row))

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
