"""The facts of one relation that live here, and which of their witnesses was handed on.

    facts[t]  =  { sender: witness, … }          the first of them is the one that was handed on
    its tokens die   →   the next is handed on; without one t is gone, once the epoch closes

Each sender ships one derivation of a fact at a time, and knows itself when that dies. Deletions outrun the
releases that they cause, so a fact may be missing for a while and come back: what came and what went is told
at the close. With ``best`` only rows are handed on, and told, that are best of their group.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, algorithms 1 and 3.
"""

from collections.abc import Container, Iterable, Iterator
from collections.abc import Set as AbstractSet

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.delta import Delta
from engine.partitions.recursion.selection import Selection
from engine.partitions.recursion.tokens import ByToken, Witness
from engine.plan.program import Defined
from engine.provenance.algebra import Token

Given = list[tuple[Row, Witness]]


class Homes:
    """The facts of a defined relation whose first value this partition owns."""

    def __init__(self, definition: Defined, budget: Budget) -> None:
        self._budget = budget
        self._facts: dict[Row, dict[int, Witness]] = {}
        self._by_token: ByToken[Row] = ByToken(self._held)
        self._stood: dict[Row, bool] = {}
        self._selection = Selection(definition) if definition.best else None

    def arrive(self, sender: int, rows: Iterable[tuple[Row, Witness]]) -> Given:
        """Take what a sender derived; return what is to be handed on."""
        facts, fresh = self._facts, []
        for row, witness in rows:
            senders = facts.get(row)
            if senders is None:
                senders = facts[row] = {}
                fresh.append(row)
            if sender not in senders:
                senders[sender] = witness
                self._by_token.note(row, witness)
        self._budget.check(len(facts), "a recursive relation", 1 + len(fresh))
        return self._given(self._come(fresh))

    def bury(self, dead: AbstractSet[Token]) -> tuple[list[Row], Given]:
        """Drop the witnesses with dead tokens; return whose was handed on, and what is to be."""
        facts = self._facts
        lost: list[Row] = []
        gone: list[Row] = []
        back: list[Row] = []
        for row in self._by_token.pop(dead):
            senders = facts.get(row)
            if senders is None:
                continue
            first = next(iter(senders))
            broken = [sender for sender, witness in senders.items() if not dead.isdisjoint(witness)]
            for sender in broken:
                self._by_token.leave(senders.pop(sender))
            if first in broken:
                lost.append(row)
                (back if senders else gone).append(row)
            if not senders:
                del facts[row]
        return lost, self._given(self._replaced(back, gone))

    def close(self) -> Delta[int]:
        """Return the rows that came (+1) and went (-1) since the last close."""
        stood, self._stood = self._stood, {}
        shown: Container[Row] = self._facts if self._selection is None else self._selection
        return {row: -1 if before else 1 for row, before in stood.items() if before != (row in shown)}

    def witness(self, row: Row) -> Witness:
        """Return the witness that was handed on."""
        return next(iter(self._facts[row].values()))

    def __len__(self) -> int:
        return sum(map(len, self._facts.values()))

    def _come(self, rows: list[Row]) -> Iterable[Row]:
        """Return those of new facts that are to be handed on."""
        if self._selection is not None:
            return self._chosen(self._selection.change(rows, ()), ())
        for row in rows:
            self._stood.setdefault(row, False)
        return rows

    def _replaced(self, back: list[Row], gone: list[Row]) -> Iterable[Row]:
        """Return what is to be handed on after some facts got another witness, and others none."""
        if self._selection is not None:
            return self._chosen(self._selection.change((), gone), back)
        for row in gone:
            self._stood.setdefault(row, True)
        return back

    def _chosen(self, change: Delta[int], back: Iterable[Row]) -> Iterable[Row]:
        assert self._selection is not None
        for row, sign in change.items():
            self._stood.setdefault(row, sign < 0)
        again = [row for row in back if row in self._selection and row not in change]
        return [*again, *[row for row, sign in change.items() if sign > 0]]

    def _given(self, rows: Iterable[Row]) -> Given:
        return [(row, self.witness(row)) for row in rows]

    def _held(self) -> Iterator[tuple[Row, Witness]]:
        for row, senders in self._facts.items():
            for witness in senders.values():
                yield row, witness
