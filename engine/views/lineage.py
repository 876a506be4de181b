"""Lineage: the plan run backwards from a row, one step at a time.

    bodies(fact)    the ways in which a node derives a row: each a conjunction of rows of its inputs

A leaf's row is a base row and has no body; a constant stands on nothing, its one body is empty. An
aggregate's row stands on all rows of its group, an anti-join's on its left row, an
outer join's on its pair or on one row (``outer_rows``), a rule's on what it does
not negate (what must not be there is said by ``absent``), one of the first rows in an order on itself
below. What a node contains, where that has to be searched, is computed from the leaves once a question.
"""

from collections.abc import Iterator
from itertools import chain, product
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.operators.operator import ITSELF, Denied, Denying, Recursion
from engine.plan.constant import Constant
from engine.plan.expressions import Expr, row_of
from engine.plan.leaves import Shipped, Totalled
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Merge,
    Pick,
)
from engine.views.dataflow import Dataflow
from engine.views.elsewhere import maybe_whole
from engine.views.nodes import InnerNode, LeafNode, Node
from engine.views.outer_rows import OuterRows


class Fact(NamedTuple):
    """A row of a node."""

    node: Node
    row: Row


class Unmet(NamedTuple):
    """A key that no row of a node has; of one definition of several, whose number is in front.

    With a condition rows may have the key, and none of them satisfies it.
    """

    node: Node
    keys: tuple[Expr, ...]
    key: Row
    definition: int | None = None
    condition: Expr | None = None


class BaseRow(NamedTuple):
    """A row that a source said; or one that another site computed, by the name of its fragment."""

    relation: str
    row: Row


Body = tuple[Fact, ...]


class Lineage:
    """Answers for one question, between two ticks."""

    def __init__(self, dataflow: Dataflow) -> None:
        self._dataflow = dataflow
        self._contents: dict[Node, Any] = {}
        self._indexes: dict[tuple[Node, tuple[Expr, ...]], dict[Row, list[Row]]] = {}

    def is_base(self, fact: Fact) -> bool:
        return isinstance(fact.node, LeafNode)

    def holds(self, fact: Fact) -> bool:
        return fact.row in self.rows(fact.node)

    def bodies(self, fact: Fact) -> Iterator[Body]:
        """Yield what derives a fact in one step."""
        if isinstance(fact.node, InnerNode):
            if isinstance(fact.node.operator, Recursion):
                yield from self._recursive_bodies(fact.node, fact.row)
            else:
                yield from self._plain_bodies(fact.node, fact.row)

    def first_body(self, fact: Fact) -> Body:
        """Return what derives a fact, so that going on this way ends."""
        node = fact.node
        if isinstance(node, InnerNode) and isinstance(node.operator, Recursion):
            return tuple([Fact(node.inputs[number], row) for number, row in node.operator.witness(fact.row)])
        return next(self.bodies(fact), ())

    def derivation(self, fact: Fact) -> Iterator[Fact]:
        """Yield a fact and all that one derivation of it goes through, each once."""
        unseen, seen = [fact], {fact}
        while unseen:
            each = unseen.pop()
            yield each
            below = [part for part in self.first_body(each) if part not in seen]
            seen.update(below)
            unseen += reversed(below)

    def witness(self, fact: Fact) -> tuple[BaseRow, ...]:
        """Return base rows that suffice for a fact."""
        derivation = self.derivation(fact)
        return tuple(dict.fromkeys([base_row(each) for each in derivation if self.is_base(each)]))

    def derivations(self, fact: Fact) -> Iterator[tuple[BaseRow, ...]]:
        """Yield the base rows of each derivation; of what recursion derives, only a witness's."""
        if isinstance(fact.node, LeafNode):
            yield (base_row(fact),)
        elif isinstance(fact.node.operator, Recursion):
            yield self.witness(fact)
        else:
            for body in self.bodies(fact):
                for parts in product(*map(self.derivations, body)):
                    yield tuple(chain.from_iterable(parts))

    def _plain_bodies(self, node: InnerNode, row: Row) -> Iterator[Body]:
        inputs = node.inputs
        match node.plan:
            case Map(_, expressions):
                for below in self.with_key(inputs[0], expressions, row):
                    yield (Fact(inputs[0], below),)
            case GroupBy(_, groups):
                members = self.with_key(inputs[0], groups, row[: len(groups)])
                yield tuple(Fact(inputs[0], below) for below in members)
            case HashJoin() | HashOuterJoin():
                yield from self._joined_bodies(node, node.plan, row)
            case Merge():
                for each in inputs:
                    if row in self.rows(each):
                        yield (Fact(each, row),)
            case Constant():
                yield ()
            case Pick(_, number):
                yield (Fact(inputs[0], (number, *row)),)
            case _:
                yield (Fact(inputs[0], row),)

    def _joined_bodies(self, node: InnerNode, plan: HashJoin | HashOuterJoin, row: Row) -> Iterator[Body]:
        if isinstance(plan, HashOuterJoin):
            for origins in self.outer(node, plan).bodies(row):
                yield tuple([Fact(node.inputs[number], below) for number, below in origins])
        else:
            width = len(plan.left.columns)
            yield Fact(node.inputs[0], row[:width]), Fact(node.inputs[1], row[width:])

    def absent(self, fact: Fact) -> tuple[Unmet, ...]:
        """Return what must not be there: of an anti-join's, a padded row, a witness by rules that negate."""
        node = fact.node
        if isinstance(node, LeafNode):
            return ()
        if isinstance(node.plan, HashAntiJoin):
            key = row_of(node.plan.left_keys)(fact.row)
            return (Unmet(node.inputs[1], node.plan.right_keys, key),)
        if isinstance(node.plan, HashOuterJoin):
            return self._unmatched(node, node.plan, fact.row)
        if isinstance(node.operator, Denying):
            return tuple([unmet(node, each) for each in node.operator.denied(fact.row)])
        return ()

    def outer(self, node: InnerNode, plan: HashOuterJoin) -> OuterRows:
        """Return the rows of an outer join by what they stand on."""
        return OuterRows(
            plan,
            lambda side: self.rows(node.inputs[side]),
            lambda side, keys, values: self.with_key(node.inputs[side], keys, values),
        )

    def _unmatched(self, node: InnerNode, plan: HashOuterJoin, row: Row) -> tuple[Unmet, ...]:
        """Return the key that the other side of a padded row has not, or not as its condition asks."""
        outer = self.outer(node, plan)
        lone = outer.lone(row)
        if lone is None:
            return ()
        other = 1 - lone.side
        return (Unmet(node.inputs[other], outer.keys[other], lone.key, None, plan.condition),)

    def _recursive_bodies(self, node: InnerNode, row: Row) -> Iterator[Body]:
        stratum = node.operator
        assert isinstance(stratum, Recursion)
        for origins in stratum.derivations(row):
            yield tuple(
                Fact(node if number == ITSELF else node.inputs[number], below) for number, below in origins
            )

    def rows(self, node: Node) -> Any:
        """Return what a node contains."""
        return self._dataflow.contents(node, self._contents)

    def with_key(self, node: Node, expressions: tuple[Expr, ...], values: Row) -> list[Row]:
        """Return the rows of a node over which the expressions have these values."""
        index = self._indexes.get((node, expressions))
        if index is None:
            index = self._indexes[node, expressions] = {}
            key = row_of(expressions)
            for row in self.rows(node):
                index.setdefault(key(row), []).append(row)
        return index.get(values, [])


def unmet(node: InnerNode, denied: Denied) -> Unmet:
    """Return where a negated literal was looked for."""
    relation, keys, key = denied
    if relation < len(node.inputs):
        return Unmet(node.inputs[relation], keys, key)
    return Unmet(node, keys, key, relation - len(node.inputs))


def base_row(fact: Fact) -> BaseRow:
    assert isinstance(fact.node, LeafNode)
    leaf = fact.node.plan
    if isinstance(leaf, Totalled):
        return BaseRow(leaf.name, fact.row)
    if not isinstance(leaf, Shipped):
        return BaseRow(leaf.relation.name, fact.row)
    return BaseRow(*(maybe_whole(leaf, fact.row) or (leaf.name, fact.row)))
