"""Rows that a node would have, were it not for what one anti-join below it finds on its right.

    kept_out(A ▷ B)  =  A ⋉ B,  and kept_out(A) ▷ B        σ, π, ∪   of what is kept out below
    kept_out(A ⋈ B)  =  kept_out(A) ⋈ B  ∪  A ⋈ kept_out(B)
    kept_out(A ⟕ B)  =  A ⋉ B, padded,  and kept_out(A) ⟕ B,  A ⋈ kept_out(B)

Each comes with the rows on the right that block it: without all of them it is there. A row that two
anti-joins keep out is not among them, nor is one that an aggregate, a top-k or recursion would have
to make.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.plan.expressions import Expr, compiled, row_of
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import Filter, HashAntiJoin, HashJoin, Map, Merge, Unique
from engine.views.lineage import Lineage
from engine.views.nodes import InnerNode, LeafNode, Node
from engine.views.outer_rows import LEFT, RIGHT, OuterRows
from engine.views.why.effort import Effort
from engine.views.why.match import Bound, met


class Block(NamedTuple):
    """What an anti-join finds on its right: the node there, what is asked of it, and the rows found."""

    node: Node
    asked: Bound
    rows: tuple[Row, ...]


class KeptOut(NamedTuple):
    """A row that would be there, and what blocks it."""

    row: Row
    block: Block


class KeptOutRows:
    """Looks for them from below; every row looked at is paid for."""

    def __init__(self, lineage: Lineage, effort: Effort) -> None:
        self._lineage = lineage
        self._effort = effort

    def of(self, node: Node) -> Iterator[KeptOut]:
        """Yield the rows kept out of a node."""
        if isinstance(node, LeafNode):
            return
        assert isinstance(node, InnerNode)
        match node.plan:
            case Filter(_, predicate):
                holds = compiled(predicate)
                yield from (each for each in self.of(node.inputs[0]) if holds(each.row) is True)
            case Map(_, expressions):
                made = row_of(expressions)
                yield from (KeptOut(made(each.row), each.block) for each in self.of(node.inputs[0]))
            case Merge() | Unique():
                for each in node.inputs:
                    yield from self.of(each)
            case HashJoin():
                yield from self._of_join(node, node.plan)
            case HashAntiJoin():
                yield from self._of_anti_join(node, node.plan)
            case HashOuterJoin():
                yield from self._of_outer_join(node, self._lineage.outer(node, node.plan))

    def _of_anti_join(self, node: InnerNode, plan: HashAntiJoin) -> Iterator[KeptOut]:
        left, right = node.inputs
        key_of = row_of(plan.left_keys)
        blocking = self._by_key(right, plan.right_keys)
        for row in self._paid(left):
            key = key_of(row)
            if key in blocking:
                asked = met(row, plan.left_keys, plan.right_keys)
                yield KeptOut(row, Block(right, asked, tuple(blocking[key])))
        yield from (each for each in self.of(left) if key_of(each.row) not in blocking)

    def _of_join(self, node: InnerNode, plan: HashJoin) -> Iterator[KeptOut]:
        left, right = node.inputs
        left_key, right_key = row_of(plan.left_keys), row_of(plan.right_keys)
        there: dict[Row, list[Row]] | None = None
        for each in self.of(left):
            there = self._by_key(right, plan.right_keys) if there is None else there
            for row in there.get(left_key(each.row), ()):
                yield KeptOut(each.row + row, each.block)
        there = None
        for each in self.of(right):
            there = self._by_key(left, plan.left_keys) if there is None else there
            for row in there.get(right_key(each.row), ()):
                yield KeptOut(row + each.row, each.block)

    def _of_outer_join(self, node: InnerNode, outer: OuterRows) -> Iterator[KeptOut]:
        for side in outer.kept:
            keys, others = outer.keys[side], outer.keys[1 - side]
            for row in self._paid(node.inputs[side]):
                partners = tuple(outer.partners(side, row))
                self._effort.spend(len(partners))
                if partners:
                    block = Block(node.inputs[1 - side], met(row, keys, others), partners)
                    yield KeptOut(outer.padded(side, row), block)
        for side in (LEFT, RIGHT):
            for each in self.of(node.inputs[side]):
                partners = tuple(outer.partners(side, each.row))
                for other in partners:
                    left, right = outer.pair(side, each.row, other)
                    yield KeptOut(left + right, each.block)
                if not partners and side in outer.kept:
                    yield KeptOut(outer.padded(side, each.row), each.block)

    def _by_key(self, node: Node, keys: tuple[Expr, ...]) -> dict[Row, list[Row]]:
        """Return the rows of a node by key; a key with a NULL in it meets nothing."""
        key_of = row_of(keys)
        found: dict[Row, list[Row]] = {}
        for row in self._paid(node):
            key = key_of(row)
            if None not in key:
                found.setdefault(key, []).append(row)
        return found

    def _paid(self, node: Node) -> Any:
        rows = self._lineage.rows(node)
        self._effort.spend(1 + len(rows) // 64)
        return rows
