"""What is derived here, and how much of it is shipped: the first derivation of a row, the others are kept.

    of[t]  =  { derivation, … }        the first of them is the one that was sent
    it is no more   →   the next is sent: the release.  Without one, nothing is: its receiver knows the tokens

This is MinShip, lazily, with its alternatives as derivations and not as provenance.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section V; their text has no algorithm.
"""

from typing import NamedTuple

from engine.model.values import Row


class Derivation(NamedTuple):
    """The row of a join, or of a relation, that an outlet made a head's row of."""

    outlet: int
    row: Row


class Derived:
    """The rows of one relation that are derived at this partition."""

    def __init__(self) -> None:
        self._of: dict[Row, dict[Derivation, None]] = {}
        self._unsent: dict[Row, None] = {}

    def add(self, row: Row, derivation: Derivation) -> bool:
        """Keep a derivation; tell whether it is the first and is to be sent."""
        known = self._of.get(row)
        if known is None:
            self._of[row] = {derivation: None}
            return True
        known[derivation] = None
        return False

    def remove(self, row: Row, derivation: Derivation) -> None:
        """Forget a derivation that is no more."""
        known = self._of.get(row)
        if known is None or derivation not in known:
            return
        if next(iter(known)) == derivation:
            self._unsent[row] = None
        del known[derivation]
        if not known:
            del self._of[row]

    def released(self) -> list[tuple[Row, Derivation]]:
        """Return, once, what is to be sent in place of what is no more."""
        unsent, self._unsent = self._unsent, {}
        return [(row, next(iter(self._of[row]))) for row in unsent if row in self._of]

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))
