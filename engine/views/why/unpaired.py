"""Why an outer join has not a row: what its pair lacks, or what a row meets that is to be padded.

l + r, asked for        l is not there; or no r that l meets: it is not there, or fails the condition
l + NULLs               l is not there; or it meets rows, and these block it
"""

from collections.abc import Iterator
from typing import Protocol

from engine.model.values import Row
from engine.plan.explaining.describing import describe
from engine.plan.expressions import to_text
from engine.views.nodes import InnerNode, Node
from engine.views.outer_rows import LEFT, RIGHT, OuterRows
from engine.views.why.absent import Reason
from engine.views.why.gap import Gap, gap_of
from engine.views.why.kept_out import Block, KeptOut
from engine.views.why.match import Bound, met, same

TRIED = 4  # rows of one side for which the other is asked


class Asking(Protocol):
    """Looks into nodes."""

    def find(self, node: Node, wanted: Bound) -> list[Row]: ...
    def gaps(self, node: Node, wanted: Bound) -> Iterator[Gap]: ...
    def blocked(self, kept: KeptOut, told: str = "") -> Gap: ...


class Unpaired:
    """Asks one node."""

    def __init__(self, node: InnerNode, outer: OuterRows, asking: Asking) -> None:
        self._node = node
        self._outer = outer
        self._asking = asking

    def gaps(self, wanted: Bound) -> Iterator[Gap]:
        """Yield what keeps such a row away."""
        width = self._outer.widths[LEFT]
        on_left = {column: value for column, value in wanted.items() if column < width}
        on_right = {column - width: value for column, value in wanted.items() if column >= width}
        if self._outer.plan.keeps_right and all(value is None for value in on_left.values()):
            yield from self._beginning(RIGHT, on_right, on_left, wanted)
        else:
            yield from self._beginning(LEFT, on_left, on_right, wanted)

    def _beginning(self, side: int, own: Bound, others: Bound, wanted: Bound) -> Iterator[Gap]:
        """Ask one side first, then the other for what its rows meet."""
        there = self._asking.find(self._node.inputs[side], own)
        if not there:
            yield from self._asking.gaps(self._node.inputs[side], own)
        is_padded = bool(others) and all(value is None for value in others.values())
        for row in there[:TRIED]:
            if is_padded and (partners := self._outer.partners(side, row)):
                block = Block(self._node.inputs[1 - side], self._met(side, row), tuple(partners))
                yield self._asking.blocked(KeptOut(row, block))
            elif not is_padded:
                yield from self._unmatched(side, row, others, wanted)

    def _unmatched(self, side: int, row: Row, others: Bound, wanted: Bound) -> Iterator[Gap]:
        """Say why a row meets no such row of the other side."""
        asked, other = self._met(side, row), self._node.inputs[1 - side]
        if any(not same(asked[column], value) for column, value in others.items() if column in asked):
            yield gap_of(Reason.OTHER_VALUE, self._node, wanted, (row,))
            return
        both = {**others, **asked}
        there = self._asking.find(other, both)
        if not there:
            yield from (gap._replace(found=(row, *gap.found)) for gap in self._asking.gaps(other, both))
        partners = self._outer.partners(side, row)
        failing = [each for each in there if each not in partners]
        if failing:
            yield gap_of(Reason.CONDITION, self._node, wanted, (row, *failing[:TRIED]), self._condition())

    def _met(self, side: int, row: Row) -> Bound:
        return met(row, self._outer.keys[side], self._outer.keys[1 - side])

    def _condition(self) -> str:
        condition = self._outer.plan.condition
        return describe(self._node.plan) if condition is None else to_text(condition)
