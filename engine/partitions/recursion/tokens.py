"""Witnesses as tuples of tokens, and what is found again by the tokens that it stands on.

    witness  =  the tokens of the base rows of one derivation
    of[t]    ⊇  { what is held by a witness with t }

A deletion looks under its tokens and nowhere else. What was dropped, or is held by another witness since,
stays under its old tokens until they die or are so many that all is noted anew: finding out at once costs
more than a look that changes nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from engine.provenance.algebra import Token

K = TypeVar("K")
Witness = tuple[Token, ...]
FEW = 10_000


def both(left: Witness, right: Witness) -> Witness:
    """Return the tokens of two derivations that are one together, each once."""
    if not left or not right:
        return left or right
    if len(left) == 1:
        return right if left[0] in right else left + right
    if len(right) == 1:
        return left if right[0] in left else left + right
    return tuple(dict.fromkeys(left + right))


class ByToken(Generic[K]):
    """What is held, by token; ``held`` tells all that is, with its witness, when it is noted anew."""

    def __init__(self, held: Callable[[], Iterable[tuple[K, Witness]]]) -> None:
        self._held = held
        self._of: defaultdict[Token, list[K]] = defaultdict(list)
        self._noted = self._left = 0

    def note(self, key: K, witness: Witness) -> None:
        of = self._of
        for token in witness:
            of[token].append(key)
        self._noted += len(witness)

    def leave(self, witness: Witness) -> None:
        """Take note that something is held by a witness no longer."""
        self._left += len(witness)

    def pop(self, dead: Iterable[Token]) -> list[K]:
        """Return what may stand on dead tokens, each once."""
        if self._left > self._noted / 2 + FEW:
            self._note_anew()
        of = self._of
        return list(dict.fromkeys(key for token in dead for key in of.pop(token, ())))

    def _note_anew(self) -> None:
        self._of = defaultdict(list)
        self._noted = self._left = 0
        for key, witness in self._held():
            self.note(key, witness)
