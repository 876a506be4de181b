"""One site of ``relative``: the facts that it owns, their derivations, and its part of a traversal.

    suspect  ──ask──▶ owners of the facts below ──ask──▶ … ──▶ held up by base rows
             ◀─────────────────── yes ◀──────────────────────┘

Each fact is visited once a traversal, and asked for once by each site that needs it.
"""

from collections.abc import Collection, Iterable, Iterator

from engine.network.channels import TOKEN, Address, row_size
from engine.network.facts import Fact, Notes, Tokens, Traversal
from engine.network.flow import Flow, Parcel, Work
from engine.network.placement import Owner
from engine.network.wiring import Wiring
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.operators.held import Held
from engine.operators.join import RetractableJoin
from engine.operators.ship import MinShip, Policy
from engine.operators.tombstones import Tombstones
from engine.provenance.algebra import Token
from engine.provenance.why import Antichain, Why


class FactSite(Flow[Antichain]):
    """A site of ``relative``."""

    def __init__(
        self, address: Address, wiring: Wiring, owner: Owner, policy: Policy, tokens: Tokens
    ) -> None:
        self.algebra = algebra = Why()
        self._tombstones = stones = Tombstones(algebra)
        budget = Budget()
        self._retractable = [
            RetractableJoin(algebra, join.left_key, join.right_key, stones, budget) for join in wiring.joins
        ]
        super().__init__(address, wiring, owner, algebra, self._retractable)
        inputs, definitions = len(wiring.program.inputs), len(wiring.program.definitions)
        defined = range(inputs, inputs + definitions)
        self._ships = {relation: MinShip(algebra, stones, policy) for relation in defined}
        self.facts: dict[int, Held[Antichain]] = {relation: Held(algebra) for relation in defined}
        self._released: dict[int, Held[Antichain]] = {relation: Held(algebra) for relation in defined}
        self._numbers = tokens
        self._homes = tokens.homes
        self._tokens: dict[Fact, Token] = {}
        self._facts: dict[Token, Fact] = {}
        self._spread: dict[Token, set[Address]] = {}
        self._dead: set[Token] = set()
        self.suspects: set[Token] = set()
        self._traversal = Traversal()

    def derived(self, work: Work[Antichain], relation: int, rows: Delta[Antichain]) -> None:
        self.send_home(work, relation, self._ships[relation].step(rows))

    def arrived(self, work: Work[Antichain], sender: Address, relation: int, rows: Delta[Antichain]) -> None:
        """Note derivations; a fact that was not there goes on under its own token."""
        fresh: Delta[Antichain] = {}
        for row, annotation in self._tombstones.clean(rows).items():
            if self.facts[relation].add(row, annotation) and (relation, row) not in self._tokens:
                token = self._tokens[relation, row] = self._numbers.derived(self.address)
                self._facts[token] = relation, row
                fresh[row] = self.algebra.token(token)
        self.offer(work, relation, fresh)

    def finish(self, work: Work[Antichain]) -> list[Parcel[Antichain]]:
        """Do all that can be done here, and note who is sent which tokens."""
        for receiver, _, rows in super().finish(work):
            for annotation in rows.values():
                for token in self.algebra.support(annotation):
                    self._spread.setdefault(token, set()).add(receiver)
        return work.parcels

    def bury(self, dead: Collection[Token]) -> Notes:
        """Retract tokens, and with them the facts that have no derivation left.

        What that releases stays until ``release``: a row that came back while its deletion goes
        round a cycle would run before it for ever.
        """
        notes: Notes = {}
        unseen = set(dead) - self._dead
        while unseen:
            self._dead |= unseen
            for token in unseen:
                for receiver in self._spread.pop(token, ()):
                    notes.setdefault((receiver, "dead"), set()).add(token)
            unseen = self._retract(unseen) - self._dead
        return notes

    def release(self) -> list[Parcel[Antichain]]:
        """Send what deletions released."""
        work: Work[Antichain] = Work()
        for relation, released in self._released.items():
            self.send_home(work, relation, {row: released.pop(row) for row in list(released.rows)})
        return self.finish(work)

    def _retract(self, dead: set[Token]) -> set[Token]:
        """Restrict all that is held; return the facts that die by it."""
        for relation, ship in self._ships.items():
            released = self._released[relation]
            released.retract(dead)
            for row, annotation in ship.retract(dead).items():
                released.add(row, annotation)
        for join in self._retractable:
            join.retract(dead)
        died: set[Token] = set()
        for relation, facts in self.facts.items():
            for row in {self._facts[token][1] for token in dead if self._is_fact(relation, token)}:
                if row in facts:
                    facts.pop(row)
            touched = facts.dependents(dead)
            gone = set(facts.retract(dead))
            died |= {self._tokens[relation, row] for row in gone}
            self.suspects |= {self._tokens[relation, row] for row in touched - gone if row in facts}
        for token in dead | died:
            if token in self._facts:
                del self._tokens[self._facts.pop(token)]
        self.suspects -= dead | died
        return died

    def _is_fact(self, relation: int, token: Token) -> bool:
        return token in self._facts and self._facts[token][0] == relation

    def forget_the_dead(self) -> None:
        """Drop tombstones once everything is delivered."""
        self._tombstones.forget(self._dead)
        for token in self._dead:
            self._homes.pop(token, None)
        self._dead = set()

    def ask_for_suspects(self) -> Notes:
        """Begin a traversal with the facts that lost a derivation."""
        self._traversal = Traversal()
        notes: Notes = {}
        self._visit(notes, self.suspects)
        self.suspects = set()
        return notes

    def asked(self, asker: Address, tokens: Iterable[Token]) -> Notes:
        notes: Notes = {}
        for token in tokens:
            self._traversal.askers.setdefault(token, set()).add(asker)
            if token in self._traversal.proven:
                notes.setdefault((asker, "yes"), set()).add(token)
        self._visit(notes, tokens)
        return notes

    def answered(self, tokens: Iterable[Token]) -> Notes:
        notes: Notes = {}
        self._conclude(notes, tokens)
        return notes

    def unproven(self) -> set[Token]:
        """Return the visited facts that nothing holds up, once the traversal is over."""
        return {token for token in self._traversal.visited - self._traversal.proven if token in self._facts}

    def _visit(self, notes: Notes, tokens: Iterable[Token]) -> None:
        """Visit facts that live here: prove them, or ask for the facts that their derivations need."""
        traversal = self._traversal
        unseen = [token for token in tokens if token in self._facts]
        while unseen:
            token = unseen.pop()
            if token in traversal.visited:
                continue
            traversal.visited.add(token)
            if self._holds(token):
                self._conclude(notes, [token])
                continue
            for below in self._needs(token):
                traversal.needed_by.setdefault(below, set()).add(token)
                home = self._homes[below]
                if home == self.address:
                    unseen.append(below)
                elif below not in traversal.asked:
                    traversal.asked.add(below)
                    notes.setdefault((home, "ask"), set()).add(below)

    def _conclude(self, notes: Notes, tokens: Iterable[Token]) -> None:
        """Take facts as proven, here or elsewhere, and go on with what they prove here."""
        traversal = self._traversal
        unseen = list(tokens)
        while unseen:
            token = unseen.pop()
            if token in traversal.proven:
                continue
            traversal.proven.add(token)
            for asker in traversal.askers.get(token, ()):
                notes.setdefault((asker, "yes"), set()).add(token)
            unseen += [above for above in traversal.needed_by.get(token, ()) if self._holds(above)]

    def _derivations(self, token: Token) -> Antichain:
        relation, row = self._facts[token]
        return self.facts[relation].rows[row]

    def _needs(self, token: Token) -> set[Token]:
        return {below for body in self._derivations(token) for below in body if below in self._homes}

    def _holds(self, token: Token) -> bool:
        """Tell whether a derivation stands on base rows and proven facts."""
        proven = self._traversal.proven
        return any(
            all(below in proven or below not in self._homes for below in body)
            for body in self._derivations(token)
        )

    def derivations(self) -> Iterator[tuple[Token, Antichain]]:
        """Yield the facts that live here with their immediate derivations."""
        for token in self._facts:
            yield token, self._derivations(token)

    def state_size(self) -> int:
        """Return the bytes of everything held, and of who was sent which token."""
        held = [item for join in self._retractable for item in join.held()]
        held += [item for ship in self._ships.values() for item in ship.held()]
        held += [item for facts in self.facts.values() for item in facts]
        size = sum(row_size(row) + self.algebra.size(annotation) for row, annotation in held)
        return size + TOKEN * len(self._tokens) + TOKEN * sum(map(len, self._spread.values()))
