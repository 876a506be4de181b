"""Absorption provenance: positive Boolean functions of base tokens, each kept as a reduced ordered BDD.

    token t  →  the variable of t        join  →  ∧        union, projection  →  ∨
    t is deleted  →  every annotation p becomes p|t=0      a row is derivable  ⇔  its p is not false

Equal functions are one node, so a ∨ (a ∧ b) *is* a: that is absorption. One instance owns one
manager: a view's, or a logical site's. What travels, or is kept, is the plain form, bottom-up:

    (root, ((t, low, high), (t', low, high), …))     place 0 is false, 1 is true, i + 2 the i-th entry

A variable is used again for another token once nobody holds its first token (``recycle``), so a
manager has as many variables as there were ever tokens at once, not as there ever were.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section IV.
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007 (PosBool).
"""

import operator
from collections.abc import Collection, Iterable, Sequence

from engine.provenance.algebra import Token
from engine.provenance.bdd import Node, module, new_manager

RECORD = 12  # bytes of an entry of the plain form: a token and two places of four bytes each
FEW = 4  # so many dead tokens are restricted faster than a support is found

Plain = tuple[int, tuple[tuple[Token, int, int], ...]]


class Absorption:
    """The restricting algebra of BDDs, with the manager that they live in."""

    plus = staticmethod(operator.or_)
    times = staticmethod(operator.and_)

    def __init__(self, *, sifts: bool = False) -> None:
        self._manager = new_manager(sifts=sifts)
        self._name: dict[Token, str] = {}
        self._token: dict[str, Token] = {}
        self._free: list[str] = []
        self.zero: Node = self._manager.false
        self.one: Node = self._manager.true

    def is_zero(self, annotation: Node, /) -> bool:
        return annotation == self.zero  # type: ignore[no-any-return]

    def token(self, token: Token, /) -> Node:
        """Return a token's variable, declaring one or taking a recycled one at first sight."""
        name = self._name.get(token)
        if name is None:
            name = self._name[token] = self._free.pop() if self._free else self._declared()
            self._token[name] = token
        return self._manager.var(name)

    def _declared(self) -> str:
        name = f"v{len(self._manager.vars)}"
        self._manager.declare(name)
        return name

    def retract(self, annotation: Node, dead: Collection[Token], /) -> Node:
        """Set dead tokens to false; a set is the collection to pass."""
        names = self._name
        gone = dead if len(dead) <= FEW else [token for token in self.support(annotation) if token in dead]
        zeros = {names[token]: False for token in gone if token in names}
        return self._manager.let(zeros, annotation) if zeros else annotation

    def support(self, annotation: Node, /) -> list[Token]:
        return [self._token[name] for name in self._manager.support(annotation)]

    def size(self, annotation: Node, /) -> int:
        """Return the bytes of the plain form; the terminals need none."""
        return int(RECORD * (annotation.dag_size - 1))

    @property
    def variables(self) -> int:
        """How many tokens have a variable."""
        return len(self._name)

    @property
    def declared(self) -> int:
        """How many variables the manager has; a manager never gives one back."""
        return len(self._manager.vars)

    def recycle(self, tokens: Iterable[Token]) -> None:
        """Free the variables of drained tokens: dead ones that no annotation and no message holds."""
        for token in tokens:
            name = self._name.pop(token, None)
            if name is not None:
                del self._token[name]
                self._free.append(name)

    def order(self, tokens: Sequence[Token]) -> None:
        """Put the variables of these tokens first, in this order."""
        first = [self._name[token] for token in dict.fromkeys(tokens) if token in self._name]
        chosen = set(first)
        levels = sorted(self._manager.vars, key=self._manager.level_of_var)
        names = first + [name for name in levels if name not in chosen]
        if names != levels:
            module().reorder(self._manager, {name: level for level, name in enumerate(names)})

    def sift(self) -> None:
        """Let the back end look for a smaller order of everything held."""
        module().reorder(self._manager)

    def to_plain(self, annotation: Node, /) -> Plain:
        """Return the nodes below, the lowest level first."""
        terminals = {int(self.zero): 0, int(self.one): 1}
        found: dict[int, tuple[int, Token, int, int]] = {}
        unseen = [annotation]
        while unseen:
            node = unseen.pop()
            key = int(node)
            if key not in found and key not in terminals:
                low, high = node.low, node.high
                found[key] = (-node.level, self._token[node.var], int(low), int(high))
                unseen += (low, high)
        upwards = sorted(found, key=lambda key: found[key][0])
        places = terminals | {key: place for place, key in enumerate(upwards, 2)}
        rows = (found[key] for key in upwards)
        return places[int(annotation)], tuple(
            [(token, places[low], places[high]) for _, token, low, high in rows]
        )

    def from_plain(self, plain: Plain, /) -> Node:
        root, entries = plain
        nodes = [self.zero, self.one]
        for token, low, high in entries:
            nodes.append(nodes[low] | self.token(token) & nodes[high])
        return nodes[root]
