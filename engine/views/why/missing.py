"""Why a row is not in a view: the plan is asked for it from the top, and what fails first is told.

    wanted { column: value }  →  Map, Join, …, down to the rows that are not there, a condition
    that the rows which are there do not meet, a row that blocks, or a cut

What is known of the row is carried down through whatever hands columns on; a join is asked on the
right for what it found on the left. Recursion is asked rule by rule (``underived``), a closure for its
cut (``cut_off``). What is said is true of this tick; rows that would have to come may be several.

References:
    Chapman, Jagadish. Why Not? SIGMOD 2009 (the frontier picky operators).
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from engine.model.values import Row, Value
from engine.operators.operator import Recursion
from engine.plan.constant import Constant
from engine.plan.explaining.describing import describe
from engine.plan.expressions import Expr, Field, to_text
from engine.plan.leaves import Shipped
from engine.plan.nearest import NearestPaths
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    FirstRows,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Pick,
    Recursive,
)
from engine.views.elsewhere import NOWHERE, Elsewhere, asked_by
from engine.views.lineage import Fact, Lineage, Unmet
from engine.views.nodes import InnerNode, LeafNode, Node, below
from engine.views.why.absent import Reason
from engine.views.why.cut_off import CutOff
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.gap import Gap, gap_of, name_of
from engine.views.why.kept_out import Block, KeptOut, KeptOutRows
from engine.views.why.match import Bound, met, same
from engine.views.why.present import Present
from engine.views.why.underived import Underived
from engine.views.why.unpaired import Unpaired

TRIED = 4  # rows on the left of a join for which the right is asked
MOST = 12  # gaps told


class Missing(NamedTuple):
    """The gaps found, as far as the effort went; ``elsewhere`` tells of what is another site's."""

    gaps: tuple[Gap, ...]
    is_truncated: bool
    elsewhere: Elsewhere = NOWHERE


class Absent(NamedTuple):
    """A key that an anti-join asks not to be among the rows of a relation, and why it is not."""

    relation: str
    key: Row
    missing: Missing


class Absence:
    """Asks nodes for rows that they do not have."""

    def __init__(self, lineage: Lineage, effort: Effort) -> None:
        self._effort = effort
        self._lineage = lineage
        self._present: dict[Node, Present] = {}

    def missing(self, node: Node, wanted: Bound) -> Missing:
        """Say why a node has no such row."""
        found: list[Gap] = []
        try:
            for gap in self.gaps(node, wanted):
                if gap not in found:
                    if len(found) == MOST:
                        return Missing(tuple(found), is_truncated=True)
                    found.append(gap)
        except Exhausted:
            return Missing(tuple(found), is_truncated=True)
        return Missing(tuple(found), is_truncated=False)

    def absent(self, unmet: Unmet) -> Absent:
        """Say why a key is not there; one that is computed, or NULL, has nothing more to it."""
        node, keys, key, number, condition = unmet
        columns = [each.position for each in keys if isinstance(each, Field)]
        is_asked = len(set(columns)) == len(keys) and None not in key
        wanted: dict[int, Value] = dict(zip(columns, key, strict=False))
        name = name_of(node)
        if number is not None and isinstance(node.plan, Recursive):
            definitions = node.plan.program.definitions
            name = definitions[number].name
            if len(definitions) > 1:
                wanted = {0: number} | {column + 1: value for column, value in wanted.items()}
        if condition is not None and None not in key:
            failing = tuple(self._lineage.with_key(node, keys, key)[:TRIED])
            if failing:
                gap = gap_of(Reason.CONDITION, node, wanted, failing, to_text(condition))
                return Absent(name, key, Missing((gap,), is_truncated=False))
        missing = self.missing(node, wanted) if is_asked else Missing((), is_truncated=False)
        return Absent(name, key, missing)

    def find(self, node: Node, wanted: Bound) -> list[Row]:
        """Return the rows of a node that have these values."""
        present = self._present.get(node)
        if present is None:
            rows = self._lineage.rows(node)
            self._effort.spend(1 + len(rows) // 64)
            present = self._present[node] = Present([rows])
        return list(present.find(0, wanted))

    def gaps(self, node: Node, wanted: Bound) -> Iterator[Gap]:
        """Yield what keeps such a row from a node that has none."""
        self._effort.spend()
        if isinstance(node, LeafNode) or isinstance(node.plan, Constant):
            yield no_row(node, wanted)
            return
        match node.plan:
            case Filter() | FirstRows():
                yield from self._of_choice(node, wanted, node.plan)
            case Map(_, expressions) | GroupBy(_, expressions):
                yield from self._of_map(node, wanted, expressions)
            case HashJoin():
                yield from self._of_join(node, wanted, node.plan)
            case HashAntiJoin() | HashOuterJoin():
                yield from self._of_absence(node, wanted, node.plan)
            case Closure() | BestPaths() | NearestPaths():
                yield from CutOff(node, node.plan, self, self._effort).gaps(wanted)
            case Pick(_, number):
                behind = {0: number} | {column + 1: value for column, value in wanted.items()}
                yield from self.gaps(node.inputs[0], behind)
            case Recursive():
                underived = Underived(node, self.find, self.gaps, self.blocked, self._effort)
                yield from underived.by_rules(node.plan, wanted)
            case _:
                for each in node.inputs:
                    yield from self.gaps(each, wanted)

    def _of_choice(self, node: InnerNode, wanted: Bound, plan: Filter | FirstRows) -> Iterator[Gap]:
        there = self.find(node.inputs[0], wanted)
        if not there:
            yield from self.gaps(node.inputs[0], wanted)
        elif isinstance(plan, Filter):
            yield gap_of(Reason.CONDITION, node, wanted, tuple(there[:TRIED]), to_text(plan.predicate))
        else:
            yield gap_of(Reason.OUTRANKED, node, wanted, tuple(there[:TRIED]), describe(plan))

    def _of_map(self, node: InnerNode, wanted: Bound, expressions: tuple[Expr, ...]) -> Iterator[Gap]:
        """Ask for what is handed on; a computed column, or an aggregate, may have another value."""
        below: dict[int, Value] = {}
        for column, value in wanted.items():
            part = expressions[column] if column < len(expressions) else None
            if isinstance(part, Field) and not same(below.setdefault(part.position, value), value):
                yield gap_of(Reason.OTHER_VALUE, node, wanted)
                return
        there = self.find(node.inputs[0], below)
        if not there:
            yield from self.gaps(node.inputs[0], below)
            return
        handed_on = {
            column: value
            for column, value in wanted.items()
            if column < len(expressions) and isinstance(expressions[column], Field)
        }
        yield gap_of(Reason.OTHER_VALUE, node, wanted, tuple(self.find(node, handed_on)[:TRIED]))

    def _of_join(self, node: InnerNode, wanted: Bound, plan: HashJoin) -> Iterator[Gap]:
        left, right = node.inputs
        width = len(plan.left.columns)
        on_left = {column: value for column, value in wanted.items() if column < width}
        on_right = {column - width: value for column, value in wanted.items() if column >= width}
        there = self.find(left, on_left)
        if not there:
            yield from self.gaps(left, on_left)
            return
        for row in there[:TRIED]:
            asked = on_right | met(row, plan.left_keys, plan.right_keys)
            if not self.find(right, asked):
                yield from (gap._replace(found=(row, *gap.found)) for gap in self.gaps(right, asked))

    def _of_absence(
        self, node: InnerNode, wanted: Bound, plan: HashAntiJoin | HashOuterJoin
    ) -> Iterator[Gap]:
        if isinstance(plan, HashOuterJoin):
            yield from Unpaired(node, self._lineage.outer(node, plan), self).gaps(wanted)
            return
        left, right = node.inputs
        there = self.find(left, wanted)
        if not there:
            yield from self.gaps(left, wanted)
            return
        for row in there:
            asked = met(row, plan.left_keys, plan.right_keys)
            yield self.blocked(KeptOut(row, Block(right, asked, tuple(self.find(right, asked)))))

    def kept_out(self, node: Node) -> Iterator[KeptOut]:
        return KeptOutRows(self._lineage, self._effort).of(node)

    def blocked(self, kept: KeptOut, told: str = "") -> Gap:
        """Name the rows that block, and the base rows of the ways in which they are derived."""
        node, asked, rows = kept.block
        derived = (each for row in rows for each in self._lineage.derivations(Fact(node, row)))
        ways = list(islice(derived, TRIED + 1))
        by = tuple(dict.fromkeys(base for way in ways[:TRIED] for base in way))
        self._effort.spend(len(by))
        several = f"in more than {TRIED} ways" if len(ways) > TRIED else f"in {len(ways)} ways"
        how = "in one way at least" if is_recursive(node) else several if len(ways) > 1 else ""
        condition = "; ".join(filter(None, (told, how)))
        return gap_of(Reason.BLOCKED, node, asked, rows[:TRIED], condition)._replace(by=by)


def no_row(node: Node, wanted: Bound) -> Gap:
    return gap_of(Reason.NO_ROW, node, wanted, (), selected_of(node) if isinstance(node, LeafNode) else "")


def selected_of(node: LeafNode) -> str:
    """Say which rows a leaf is given."""
    if isinstance(node.plan, Shipped):
        return asked_by(node.plan)
    predicate = node.plan.fragment.predicate
    return to_text(predicate) if predicate else ""


def is_recursive(node: Node) -> bool:
    """Tell whether recursion derives anything that a node reads."""
    inner = (each for each in below(node) if isinstance(each, InnerNode))
    return any(isinstance(each.operator, Recursion) for each in inner)
