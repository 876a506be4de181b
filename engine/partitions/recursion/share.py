"""One partition's share of a recursive stratum.

    changed inputs  ──▶ tokens ──▶ where they are needed ──▶ joins ──▶ what is derived ──▶ its owner ──▶ …
    dead tokens     ──▶ every partition: first all that stands on them goes, then what that releases is sent

What stays at the partition goes on within the same round; what leaves it is a parcel of the next. A row of a
relation lives with the owner of its first value, a join's rows meet at the owner of a value of its key
(``engine.network.wiring``). Arrivals are cleaned of dead tokens until the epoch closes: what was under way
when the base row went must not bring back what stood on it.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, sections III to VII.
"""

from collections.abc import Iterable, Sequence, Sized
from typing import NamedTuple

from engine.model.values import Row
from engine.network.wiring import Head, Outlet, Port, Wiring, first_value
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.partitions.hashing import Partition, owner_of_value
from engine.partitions.recursion.derived import Derivation, Derived
from engine.partitions.recursion.homes import Homes
from engine.partitions.recursion.meeting import Meeting
from engine.partitions.recursion.tokens import Witness
from engine.provenance.algebra import Token

Witnessed = list[tuple[Row, Witness]]
LOCAL_STEPS = 4
"""What goes far at one partition before others have said a shorter way stands on more tokens than it must."""


class Sent(NamedTuple):
    """Rows for a port, and the partition that they come from."""

    sender: Partition
    port: Port
    rows: Witnessed


class Dead(NamedTuple):
    """Tokens that are no more."""

    tokens: frozenset[Token]


Content = Sent | Dead
Outgoing = list[tuple[Partition, Content]]


class Way(NamedTuple):
    """An outlet of a join, or of a relation that has what a head needs, by its number in derivations."""

    number: int
    outlet: Outlet
    relation: int | None = None


class StratumShare:
    """The facts that live at a partition, the joins that meet there, and what is derived there."""

    def __init__(self, wiring: Wiring, number: Partition, partitions: int, budget: Budget) -> None:
        self._number, self._partitions = number, partitions
        self._owner = owner_of_value(partitions)
        program = wiring.program
        self._inputs = len(program.inputs)
        self._ways = [Way(join, each.outlet) for join, each in enumerate(wiring.joins)]
        self._direct: list[list[Way]] = [[] for _ in wiring.outlets]
        self._onward: list[list[Outlet]] = [[] for _ in wiring.outlets]
        for relation, outlet in (
            (r, outlet) for r, several in enumerate(wiring.outlets) for outlet in several
        ):
            if isinstance(outlet.port, Head):
                self._ways.append(Way(len(self._ways), outlet, relation))
                self._direct[relation].append(self._ways[-1])
            else:
                self._onward[relation].append(outlet)
        self._bases: list[dict[Row, Token]] = [{} for _ in program.inputs]
        self._homes = [Homes(definition, budget) for definition in program.definitions]
        self._derived = [Derived() for _ in program.definitions]
        self._meetings = [Meeting(join, budget) for join in wiring.joins]
        self._tokens = 0
        self._dead: set[Token] = set()
        self._here: list[Sent] = []
        self._out: dict[tuple[Partition, Port], Witnessed] = {}

    def change(self, changes: Sequence[Delta[int]]) -> Outgoing:
        """Take changes of the inputs' rows that live here."""
        dead: set[Token] = set()
        for relation, (base, change) in enumerate(zip(self._bases, changes, strict=True)):
            gone = [row for row, sign in change.items() if sign < 0]
            dead.update(base.pop(row) for row in gone)
            self._withdraw(self._direct[relation], gone)
        if dead:
            self._bury(dead)
        for relation, change in enumerate(changes):
            born = {row: self._fresh() for row, sign in change.items() if sign > 0}
            self._bases[relation] |= born
            self._offer(relation, [(row, (token,)) for row, token in born.items()])
        told = Dead(frozenset(dead))
        others = [other for other in range(self._partitions) if dead and other != self._number]
        return [*((other, told) for other in others), *self._finish()]

    def take(self, contents: Iterable[Content]) -> Outgoing:
        """Take what other partitions sent: the dead before all else."""
        arrived = list(contents)
        dead = {token for each in arrived if isinstance(each, Dead) for token in each.tokens}
        if dead:
            self._bury(dead)
        self._here.extend(each for each in arrived if isinstance(each, Sent))
        return self._finish()

    def close(self) -> list[Delta[int]]:
        """Return how each defined relation changed; nothing may be under way."""
        self._dead.clear()
        return [homes.close() for homes in self._homes]

    def entries(self) -> int:
        held: list[Sequence[Sized]] = [self._bases, self._homes, self._derived, self._meetings]
        return sum(len(each) for several in held for each in several)

    def _fresh(self) -> Token:
        self._tokens += 1
        return self._tokens * self._partitions + self._number

    def _bury(self, dead: set[Token]) -> None:
        """Take out what stands on dead tokens, everywhere here; then send what that releases."""
        self._dead |= dead
        for way, meeting in zip(self._ways, self._meetings, strict=False):
            self._withdraw([way], meeting.bury(dead))
        back = []
        for relation, homes in enumerate(self._homes, self._inputs):
            lost, given = homes.bury(dead)
            self._withdraw(self._direct[relation], lost)
            back.append((relation, given))
        for relation, derived in enumerate(self._derived, self._inputs):
            self._ship(relation, [(row, self._witness(each)) for row, each in derived.released()])
        for relation, given in back:
            self._offer(relation, given)

    def _withdraw(self, ways: Iterable[Way], rows: Iterable[Row]) -> None:
        """Forget the derivations that rows were."""
        for way in ways:
            if isinstance(way.outlet.port, Head):
                derived, sent = self._derived[way.outlet.port.relation - self._inputs], way.outlet.sent
                for row in rows:
                    head = sent(row)
                    if head is not None:
                        derived.remove(head, Derivation(way.number, row))

    def _witness(self, derivation: Derivation) -> Witness:
        """Return the tokens that a derivation stands on."""
        number, row = derivation
        relation = self._ways[number].relation
        if relation is None:
            return self._meetings[number].witness(row)
        if relation < self._inputs:
            return (self._bases[relation][row],)
        return self._homes[relation - self._inputs].witness(row)

    def _offer(self, relation: int, rows: Witnessed) -> None:
        """Bring rows of a relation that live here to all that need them."""
        if rows:
            for way in self._direct[relation]:
                self._derive(way, rows)
            for outlet in self._onward[relation]:
                self._forward(outlet, rows)

    def _derive(self, way: Way, rows: Witnessed) -> None:
        """Make a head's rows of rows; ship those of which this is the first derivation here."""
        assert isinstance(way.outlet.port, Head)
        relation, sent = way.outlet.port.relation, way.outlet.sent
        add, first = self._derived[relation - self._inputs].add, []
        for row, witness in rows:
            head = sent(row)
            if head is not None and add(head, Derivation(way.number, row)):
                first.append((head, witness))
        self._ship(relation, first)

    def _ship(self, relation: int, rows: Witnessed) -> None:
        """Send derived rows to their owners."""
        port, owner = Head(relation), self._owner
        for row, witness in rows:
            self._send(owner(first_value(row)), port, row, witness)

    def _forward(self, outlet: Outlet, rows: Witnessed) -> None:
        """Send rows to the join that needs them."""
        port, owner, place = outlet.port, self._owner, outlet.place
        for row, witness in rows:
            if outlet.sent(row) is not None:
                self._send(owner(place(row)), port, row, witness)

    def _send(self, receiver: Partition, port: Port, row: Row, witness: Witness) -> None:
        self._out.setdefault((receiver, port), []).append((row, witness))

    def _finish(self) -> Outgoing:
        """Do what can be done here in a few steps; return what goes on, also here, in the next round."""
        out: dict[tuple[Partition, Port], Witnessed] = {}
        for step in range(LOCAL_STEPS + 1):
            for (receiver, port), rows in self._out.items():
                if receiver == self._number and step < LOCAL_STEPS:
                    self._here.append(Sent(receiver, port, rows))
                else:
                    out.setdefault((receiver, port), []).extend(rows)
            self._out = {}
            arrived, self._here = self._here, []
            for each in arrived:
                self._arrive(each)
        return [(receiver, Sent(self._number, port, rows)) for (receiver, port), rows in out.items()]

    def _arrive(self, sent: Sent) -> None:
        """Take rows in at a port, those that stand on nothing dead."""
        rows, dead = sent.rows, self._dead
        if dead:
            rows = [(row, witness) for row, witness in rows if dead.isdisjoint(witness)]
        if isinstance(sent.port, Head):
            relation = sent.port.relation
            self._offer(relation, self._homes[relation - self._inputs].arrive(sent.sender, rows))
            return
        pairs = self._meetings[sent.port.join].insert(sent.port.is_right, rows)
        way = self._ways[sent.port.join]
        if isinstance(way.outlet.port, Head):
            self._derive(way, pairs)
        else:
            self._forward(way.outlet, pairs)
