"""Relative provenance on the same sites and channels, as a peer: a row knows its immediate derivations.

    P(h)  =  Σ over derivations  Π of the facts in the body          a fact is a token of its own

A fact goes on once, when it comes to be there, under its own token: what it stands on stays with
its owner. A dead token is told to whoever was sent something with it. A fact that has lost a
derivation and has others may stand on itself, which only a traversal of the graph finds out:

    ask      from each such fact down its derivations, every fact asking the owners of those it needs
    answer   up again from facts that a derivation by base rows alone holds up
    who has no answer when all is quiet is dead, and so on, until nobody has lost anything

It may be lazy too: then only first derivations are sent, and another when the first dies.

References:
    Green, Karvounarakis, Ives, Tannen. Update Exchange with Mappings and Provenance. VLDB 2007.
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section IV.
"""

from collections.abc import Collection
from random import Random
from typing import NamedTuple

from engine.model.values import Row
from engine.network.channels import TOKEN, Address, Message, row_size
from engine.network.fact_site import FactSite
from engine.network.facts import Notes, Tokens
from engine.network.flow import Parcel
from engine.network.peer import Homes, Peer
from engine.network.placement import Owner
from engine.network.wiring import Port
from engine.operators.delta import Delta
from engine.operators.ship import LAZY, Policy
from engine.plan.program import Program
from engine.provenance.algebra import Token
from engine.provenance.why import Antichain


class Rows(NamedTuple):
    """The content of a message: annotated rows for a port."""

    port: Port
    rows: Delta[Antichain]


class Note(NamedTuple):
    """The content of a message about facts: that they are dead, or to be proven, or proven."""

    kind: str
    tokens: frozenset[Token]


class Relative(Peer):
    """A program over sites, maintained by its graph of immediate derivations."""

    def __init__(
        self, program: Program, sites: int, policy: Policy = LAZY, owner: Owner | None = None
    ) -> None:
        super().__init__(program, sites, owner)
        self._numbers = numbers = Tokens()
        self._tokens: dict[tuple[int, Row], Token] = {}
        self.sites = [
            FactSite(address, self._wiring, self._owner, policy, numbers) for address in range(sites)
        ]

    def view(self, relation: int) -> dict[Row, Antichain]:
        return {row: a for site in self.sites for row, a in site.facts[relation]}

    def _insert(self, relation: int, homes: Homes, random: Random | None) -> None:
        for home, rows in homes.items():
            site, delta = self.sites[home], {}
            for row in rows:
                token = self._tokens[relation, row] = self._numbers.fresh()
                delta[row] = site.algebra.token(token)
            self._dispatch(home, site.change(relation, delta))
        self.channels.drain(random)

    def _delete(self, relation: int, homes: Homes, random: Random | None) -> None:
        for home, rows in homes.items():
            self._bury(self.sites[home], {self._tokens.pop((relation, row)) for row in rows})
        self.channels.drain(random)
        self._prove(random)
        self._release(random)

    def _prove(self, random: Random | None) -> None:
        """Ask whether the facts that lost a derivation stand; bury those that do not, and repeat."""
        while any([site.suspects for site in self.sites]):
            for site in self.sites:
                self._tell(site.address, site.ask_for_suspects())
            self.channels.drain(random)
            for site in self.sites:
                self._bury(site, site.unproven())
            self.channels.drain(random)

    def _release(self, random: Random | None) -> None:
        for site in self.sites:
            site.forget_the_dead()
        for site in self.sites:
            self._dispatch(site.address, site.release())
        self.channels.drain(random)

    def _bury(self, site: FactSite, dead: Collection[Token]) -> None:
        if dead:
            self._tell(site.address, site.bury(dead))

    def _receive(self, sender: Address, receiver: Address, content: Rows | Note) -> None:
        site = self.sites[receiver]
        match content:
            case Rows(port, rows):
                self._dispatch(receiver, site.arrive(sender, port, rows))
            case Note("dead", tokens):
                self._bury(site, tokens)
            case Note("ask", tokens):
                self._tell(receiver, site.asked(sender, tokens))
            case Note(_, tokens):
                self._tell(receiver, site.answered(tokens))

    def _dispatch(self, sender: Address, parcels: Collection[Parcel[Antichain]]) -> None:
        algebra = self.sites[sender].algebra
        for receiver, port, rows in parcels:
            provenance = sum([algebra.size(annotation) for annotation in rows.values()])
            size = provenance + sum(map(row_size, rows))
            kind = type(port).__name__.lower()
            self.channels.send(sender, receiver, Message(kind, len(rows), size, provenance, Rows(port, rows)))

    def _tell(self, sender: Address, notes: Notes) -> None:
        for (receiver, kind), tokens in notes.items():
            size = TOKEN * len(tokens)
            note = Note(kind, frozenset(tokens))
            self.channels.send(sender, receiver, Message(kind, len(tokens), size, 0, note))
