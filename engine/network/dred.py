"""Delete and rederive on the same sites and channels: sets without provenance, as a peer.

    delete      a row one of whose derivations is gone is deleted, and so on, to the end
    rederive    a deleted row that is still derived somewhere comes back, and so on

The joins count, so that a site knows what it still derives without asking anybody, and an owner
knows which sites derive a row: both are kinder to the scheme than its authors were.

References:
    Gupta, Mumick, Subrahmanian. Maintaining Views Incrementally. SIGMOD 1993.
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section I and VIII.
"""

from collections.abc import Collection
from random import Random

from engine.model.values import Row
from engine.network.channels import Address, Message, row_size
from engine.network.flow import Flow, Parcel, Work
from engine.network.peer import Homes, Peer
from engine.network.placement import Owner
from engine.network.wiring import Head, Port, Wiring
from engine.operators.budget import Budget
from engine.operators.delta import Delta, merge
from engine.operators.join import Join
from engine.plan.program import Program
from engine.provenance.counting import COUNTING

KINDS = {1: "insert", -1: "delete"}
ADDRESS = 4


class Derived:
    """One relation as one site sees it: what it derives and said so, what it owns and who said so."""

    def __init__(self) -> None:
        self.counts: Delta[int] = {}
        self.said: set[Row] = set()
        self.taken_back: set[Row] = set()
        self.sayers: dict[Row, set[Address]] = {}
        self.present: set[Row] = set()
        self.deleted: set[Row] = set()

    def hear(self, sender: Address, row: Row, sign: int) -> None:
        """Note that a site derives a row, or does so no longer."""
        sayers = self.sayers.setdefault(row, set())
        if sign > 0:
            sayers.add(sender)
        else:
            sayers.discard(sender)
        if not sayers:
            del self.sayers[row]


class DRedSite(Flow[int]):
    """One site; a derived row travels with +1 or -1."""

    def __init__(self, address: Address, wiring: Wiring, owner: Owner) -> None:
        budget = Budget()
        joins = [Join(COUNTING, join.left_key, join.right_key, budget) for join in wiring.joins]
        super().__init__(address, wiring, owner, COUNTING, joins)
        inputs, definitions = len(wiring.program.inputs), len(wiring.program.definitions)
        self.relations = {relation: Derived() for relation in range(inputs, inputs + definitions)}
        self.is_deleting = False

    def derived(self, work: Work[int], relation: int, rows: Delta[int]) -> None:
        mine = self.relations[relation]
        merge(mine.counts, rows, COUNTING)
        if self.is_deleting:
            lost = {row for row, times in rows.items() if times < 0} & mine.said
            mine.said -= lost
            mine.taken_back |= lost
            self.send_home(work, relation, dict.fromkeys(lost, -1))
        else:
            found = {row for row in rows if row in mine.counts} - mine.said
            mine.said |= found
            self.send_home(work, relation, dict.fromkeys(found, 1))

    def arrived(self, work: Work[int], sender: Address, relation: int, rows: Delta[int]) -> None:
        own = self.relations[relation]
        changed: Delta[int] = {}
        for row, sign in rows.items():
            own.hear(sender, row, sign)
            if sign > 0 and row not in own.present:
                own.present.add(row)
                changed[row] = 1
            elif sign < 0 and row in own.present:
                own.present.discard(row)
                own.deleted.add(row)
                changed[row] = -1
        self.offer(work, relation, changed)

    def rederive(self) -> list[Parcel[int]]:
        """Say again what is still derived here, and bring back what others still say."""
        self.is_deleting = False
        work: Work[int] = Work()
        for relation, each in self.relations.items():
            again = {row for row in each.taken_back if row in each.counts} - each.said
            each.said |= again
            self.send_home(work, relation, dict.fromkeys(again, 1))
            back = {row for row in each.deleted if row in each.sayers} - each.present
            each.present |= back
            each.taken_back, each.deleted = set(), set()
            self.offer(work, relation, dict.fromkeys(back, 1))
        return self.finish(work)

    def state_size(self) -> int:
        """Return the bytes of everything held; a sayer is an address."""
        size = sum(row_size(row) for join in self._joins for row, _ in join.held())
        for each in self.relations.values():
            size += sum(map(row_size, each.counts)) + sum(map(row_size, each.present))
            size += sum(ADDRESS * len(sayers) for sayers in each.sayers.values())
        return size


class DRed(Peer):
    """A program over sites, maintained by deleting too much and deriving it again."""

    def __init__(self, program: Program, sites: int, owner: Owner | None = None) -> None:
        super().__init__(program, sites, owner)
        self.sites = [DRedSite(address, self._wiring, self._owner) for address in range(sites)]

    def view(self, relation: int) -> set[Row]:
        return {row for site in self.sites for row in site.relations[relation].present}

    def delete_only(self, relation: int, homes: Homes, random: Random | None) -> None:
        """The first phase: delete all that has lost a derivation."""
        for site in self.sites:
            site.is_deleting = True
        self._change(relation, homes, -1)
        self.channels.drain(random)

    def rederive(self) -> None:
        """Begin the second phase: say again what is still derived."""
        for site in self.sites:
            self._dispatch(site.address, site.rederive())

    def _insert(self, relation: int, homes: Homes, random: Random | None) -> None:
        self._change(relation, homes, 1)
        self.channels.drain(random)

    def _delete(self, relation: int, homes: Homes, random: Random | None) -> None:
        self.delete_only(relation, homes, random)
        self.rederive()
        self.channels.drain(random)

    def _change(self, relation: int, homes: Homes, sign: int) -> None:
        for home, rows in homes.items():
            self._dispatch(home, self.sites[home].change(relation, dict.fromkeys(rows, sign)))

    def _dispatch(self, sender: Address, parcels: Collection[Parcel[int]]) -> None:
        for receiver, port, rows in parcels:
            sign = min(rows.values())
            kind = KINDS[1 if sign > 0 else -1] if isinstance(port, Head) else "side"
            size = sum(map(row_size, rows)) + len(rows)
            self.channels.send(sender, receiver, Message(kind, len(rows), size, 0, (port, rows)))

    def _receive(self, sender: Address, receiver: Address, content: tuple[Port, Delta[int]]) -> None:
        port, rows = content
        self._dispatch(receiver, self.sites[receiver].arrive(sender, port, rows))
