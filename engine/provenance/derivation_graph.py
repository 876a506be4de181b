"""Relative provenance: a row is annotated by its immediate derivations, so that all together are a graph.

    fact  ←  body₁ | body₂ | …          a body is facts and base tokens, all of them needed

It is the semiring polynomial as a system of equations: nothing is absorbed, and whether a fact still
holds after a deletion is found by a traversal that starts from base tokens, so that a cycle of
facts that derive only each other holds nothing up. Kept for comparison: what a row carries when it
is shipped is the part of the graph below it (``fragment``), every new derivation anywhere in that
part is news, and a deletion walks the graph where absorption restricts one function.

    suspects    what a dead token reaches along uses
    confirmed   suspects with a body of tokens, facts that are no suspects, and confirmed ones
    lost        suspects − confirmed

References:
    Green, Karvounarakis, Ives, Tannen. Update Exchange with Mappings and Provenance. VLDB 2007.
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, sections IV and VIII ("relative provenance").
"""

from collections.abc import Collection, Hashable, Iterable, Iterator

from engine.model.values import Row
from engine.provenance.algebra import Token

Fact = tuple[Hashable, Row]
Body = tuple[Fact | Token, ...]
Derivation = tuple[Fact, Body]
Fragment = frozenset[Derivation]

NODE_BYTES = 4  # a fact or a token is sent as a number; the facts themselves are sent once, as rows


class DerivationGraph:
    """The derivations that one place knows; every fact in it is derivable from living tokens."""

    def __init__(self) -> None:
        self._bodies: dict[Fact, set[Body]] = {}
        self._uses: dict[Fact | Token, set[Derivation]] = {}
        self._dead: set[Token] = set()
        self.visited = 0

    def __contains__(self, fact: Fact) -> bool:
        return fact in self._bodies

    def __len__(self) -> int:
        """Count the derivations held."""
        return sum(map(len, self._bodies.values()))

    def facts(self) -> Iterator[Fact]:
        yield from self._bodies

    def bodies(self, fact: Fact) -> Collection[Body]:
        return self._bodies.get(fact, ())

    def fragment(self, fact: Fact) -> Fragment:
        """Return the derivations below a fact: its annotation when it travels."""
        found: set[Derivation] = set()
        unseen, seen = [fact], {fact}
        while unseen:
            head = unseen.pop()
            for body in self._bodies.get(head, ()):
                found.add((head, body))
                below = [node for node in body if isinstance(node, tuple) and node not in seen]
                seen.update(below)
                unseen += below
        return frozenset(found)

    def size(self, fact: Fact) -> int:
        """Return the bytes of a fact's annotation: its own derivations and all below them."""
        return fragment_size(self.fragment(fact))

    def merge(self, fragment: Iterable[Derivation]) -> set[Fact]:
        """Take derivations in and return the facts that have one more; a dead token brings nothing back."""
        derivations = [(head, body) for head, body in fragment if self._dead.isdisjoint(body)]
        offered: dict[Fact, set[Body]] = {}
        for head, body in derivations:
            offered.setdefault(head, set()).add(body)
        holds = self._confirmed(set(offered) - set(self._bodies), offered)
        gained = set()
        for head, body in derivations:
            supported = all(isinstance(node, int) or node in self._bodies or node in holds for node in body)
            if supported and self._derive(head, body):
                gained.add(head)
        return gained

    def derive(self, fact: Fact, body: Body) -> bool:
        """Add one derivation from what is here; tell whether it was unknown."""
        return bool(self.merge([(fact, body)]))

    def retract(self, dead: Collection[Token]) -> set[Fact]:
        """Let tokens die, and return the facts that nothing derives any more; they are dropped."""
        self._dead.update(dead)
        suspects = self._reached(dead)
        for token in dead:
            self._forget(self._uses.get(token, ()))
        lost = suspects - self._confirmed(suspects, self._bodies)
        for fact in lost:
            self._forget(self._uses.get(fact, ()))
            self._forget([(fact, body) for body in self._bodies[fact]])
        for fact in lost:
            del self._bodies[fact]
        return lost

    def drain(self, tokens: Iterable[Token]) -> None:
        """Drop tombstones of tokens that can arrive no more."""
        self._dead.difference_update(tokens)

    def _derive(self, fact: Fact, body: Body) -> bool:
        bodies = self._bodies.setdefault(fact, set())
        if body in bodies:
            return False
        bodies.add(body)
        for node in body:
            self._uses.setdefault(node, set()).add((fact, body))
        return True

    def _forget(self, derivations: Iterable[Derivation]) -> None:
        for fact, body in tuple(derivations):
            self._bodies[fact].discard(body)
            for node in set(body):
                self._uses[node].discard((fact, body))
                if not self._uses[node]:
                    del self._uses[node]

    def _reached(self, dead: Collection[Token]) -> set[Fact]:
        found: set[Fact] = set()
        unseen: list[Fact | Token] = list(dead)
        while unseen:
            above = {head for head, _ in self._uses.get(unseen.pop(), ())} - found
            found |= above
            unseen += above
        self.visited += len(found)
        return found

    def _confirmed(self, suspects: set[Fact], bodies: dict[Fact, set[Body]]) -> set[Fact]:
        """Return the suspects that follow from tokens and from facts that are no suspects."""
        waiting: dict[Fact | Token, list[Derivation]] = {}
        confirmed: set[Fact] = set()
        ready: list[Fact] = []
        missing: dict[Derivation, int] = {}
        for fact in suspects:
            for body in bodies[fact]:
                open_ = {node for node in body if isinstance(node, tuple) and self._is_open(node, suspects)}
                missing[fact, body] = len(open_)
                for node in open_:
                    waiting.setdefault(node, []).append((fact, body))
                if not open_:
                    ready.append(fact)
        while ready:
            fact = ready.pop()
            if fact in confirmed:
                continue
            confirmed.add(fact)
            self.visited += 1
            for above in waiting.get(fact, ()):
                missing[above] -= 1
                if not missing[above]:
                    ready.append(above[0])
        return confirmed

    def _is_open(self, fact: Fact, suspects: set[Fact]) -> bool:
        return fact in suspects or fact not in self._bodies


def fragment_size(fragment: Fragment) -> int:
    """Return the bytes of a fragment: for each derivation its head, a length and its body."""
    return sum(NODE_BYTES * (2 + len(body)) for _, body in fragment)
