"""Why a closure does not derive a row: S is what x reaches, T is what leads to ȳ, no edge goes from S to T.

    rows that an anti-join keeps out of the edges or seeds and that would go from S to T
        each closes the cut by itself: what blocks it is named
    there are none                          the fewest that together make a way from x to T

A cut says at once what the rules would say in as many steps as there are ways.
"""

from collections.abc import Iterator
from typing import Protocol

from engine.model.values import Row
from engine.plan.nearest import NearestPaths
from engine.plan.physical import BestPaths, Closure
from engine.views.nodes import InnerNode, Node
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.gap import Gap, gap_of, name_of
from engine.views.why.kept_out import KeptOut
from engine.views.why.match import Bound

THERE = None  # the end of a way that a seed makes


Linear = Closure | BestPaths | NearestPaths


class Asking(Protocol):
    """Looks into nodes."""

    def find(self, node: Node, wanted: Bound) -> list[Row]: ...
    def gaps(self, node: Node, wanted: Bound) -> Iterator[Gap]: ...
    def kept_out(self, node: Node) -> Iterator[KeptOut]: ...
    def blocked(self, kept: KeptOut, told: str) -> Gap: ...


class CutOff:
    """Asks one node: a closure, best paths, or the nearest of all targets, where any end will do."""

    def __init__(self, node: InnerNode, plan: Linear, asking: Asking, effort: Effort) -> None:
        self._node = node
        self._width = plan.width
        self._order = plan.order
        self._ends = ends_of(plan)
        self._asking = asking
        self._effort = effort
        self._edges, self._seeds = node.inputs

    def gaps(self, wanted: Bound) -> Iterator[Gap]:
        """Say what cuts x off from ȳ."""
        of_ends = {column: value for column, value in wanted.items() if self._order[column] < self._ends}
        others = self._asking.find(self._node, of_ends)
        if others:
            if len(of_ends) == self._ends:
                yield gap_of(Reason.OUTRANKED, self._node, wanted, tuple(others[:1]))
            else:
                yield gap_of(Reason.NO_ROW, self._node, wanted)
            return
        ends = {self._order[column]: value for column, value in of_ends.items()}
        to_y = {column: value for column, value in of_ends.items() if self._order[column] >= self._width}
        leading = self._asking.find(self._node, to_y)
        if len(ends) < self._ends:
            yield from self._partly(ends, wanted)
            return
        asked = tuple([ends[place] for place in range(self._ends)])
        starts = [self._order.index(place) for place in range(self._width)]
        yield from self._between(asked, {tuple([row[i] for i in starts]) for row in leading}, of_ends)

    def _partly(self, ends: Bound, wanted: Bound) -> Iterator[Gap]:
        """Say what is missing where not both ends are asked for."""
        x = {place: value for place, value in ends.items() if place < self._width}
        y = {place: value for place, value in ends.items() if place >= self._width}
        if len(x) == self._width and not self._asking.find(self._edges, x):
            yield from self._asking.gaps(self._edges, x)
        elif y:
            yield from self._asking.gaps(self._seeds, y)
        else:
            yield gap_of(Reason.NO_ROW, self._node, wanted)

    def _between(self, asked: Row, leading: set[Row], wanted: Bound) -> Iterator[Gap]:
        x, y = asked[: self._width], asked[self._width :]
        reached = self._reached({x})
        counts = f"{len(reached)} reached, {len(leading)} lead there"
        told = f"{counts}, and none of {name_of(self._edges)} between"
        cut = gap_of(Reason.CUT_OFF, self._node, wanted, (), told)
        try:
            blocks = self._crossing(reached, leading, y)
            first = next(blocks, None)
            if first is None:
                blocks = self._together(x, leading, y)
                first = next(blocks, None)
        except Exhausted:
            yield cut
            raise
        nothing = [] if first else self._nothing(x, y, leading)
        yield from nothing or [cut]
        if first is not None:
            yield first
            yield from blocks

    def _nothing(self, x: Row, y: Row, leading: set[Row]) -> list[Gap]:
        """Return what is not there at an end to which, or from which, there is nothing at all."""
        gaps: Iterator[Gap] = iter(())
        if not leading:
            gaps = self._asking.gaps(self._seeds, dict(enumerate(y, self._width)))
        elif not self._asking.find(self._edges, dict(enumerate(x))):
            gaps = self._asking.gaps(self._edges, dict(enumerate(x)))
        return [gap for gap in gaps if gap.reason is not Reason.BLOCKED]

    def _crossing(self, reached: set[Row], leading: set[Row], y: Row) -> Iterator[Gap]:
        """Yield what blocks a single edge, or seed, from what is reached to what leads there."""
        for node, targets in (self._edges, leading), (self._seeds, {y}):
            for kept in self._asking.kept_out(node):
                self._effort.spend()
                source, target = self._ends_of(kept.row, node)
                if source in reached and target in targets:
                    yield self._asking.blocked(kept, f"from {text_of(source)} to {text_of(target)}")

    def _ends_of(self, row: Row, node: Node) -> tuple[Row, Row]:
        """Return where an edge leads from and to, or a seed's x and ȳ."""
        end = 2 * self._width if node is self._edges else self._ends
        return row[: self._width], row[self._width : end]

    def _together(self, x: Row, leading: set[Row], y: Row) -> Iterator[Gap]:
        """Yield what blocks the fewest edges, and a seed after them, that make a way."""
        out: dict[Row | None, list[tuple[Row | None, KeptOut]]] = {}
        for node in self._edges, self._seeds:
            for kept in self._asking.kept_out(node):
                source, target = self._ends_of(kept.row, node)
                if node is self._edges or target == y:
                    out.setdefault(source, []).append((target if node is self._edges else THERE, kept))
        over: dict[Row | None, tuple[KeptOut, ...]] = {}
        front: dict[Row | None, tuple[KeptOut, ...]] = {x: ()}
        goals = leading | {THERE}
        while front and goals.isdisjoint(over):
            fresh: set[Row | None] = set()
            for start, way in front.items():
                found: set[Row | None] = {start}
                found |= self._reached({start}) if start is not THERE else set()
                fresh |= found - over.keys()
                over |= dict.fromkeys(found - over.keys(), way)
            front = {
                target: (*over[source], kept)
                for source in fresh
                for target, kept in out.get(source, ())
                if target not in over
            }
        way = next((over[goal] for goal in sorted(goals, key=repr) if goal in over), ())
        for kept in way:
            yield self._asking.blocked(kept, f"one of {len(way)} that block together")

    def _reached(self, front: set[Row]) -> set[Row]:
        found, unseen = set(front), list(front)
        while unseen:
            self._effort.spend()
            onward = self._asking.find(self._edges, dict(enumerate(unseen.pop())))
            after = {self._ends_of(row, self._edges)[1] for row in onward} - found
            found |= after
            unseen += after
        return found


def ends_of(plan: Linear) -> int:
    """Return how many columns say what is connected: x and ȳ; of the nearest target only x."""
    match plan:
        case Closure(order=order):
            return len(order)
        case BestPaths(order=order):
            return len(order) - 1
    return plan.width


def text_of(values: Row) -> str:
    return ", ".join(map(str, values))
