"""The and-or graph: what may be computed, each in how many ways.

    or node    a set of relations with a property: none, order(class), index(class)
    and node   one way to get an or node: scan, join of two or nodes, sort of one
    share      what one input brings to every and node that reads it alike: best(input) + w · rows(input)

    cost(and) = share(left) + share(right)          best(or) = min over its and nodes + γ · rows

Enumerated from the roots down (rules R1 to R5 of the thesis), each or node once however many roots want it;
then numbered bottom up: inputs before those that read them, the and nodes of one or node in a row. An and
node's number is its key: operator and inputs' sets do not tell lookups on two classes apart.

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, section 4.1.
"""

from collections.abc import Sequence
from typing import NamedTuple

from federated.memo.costs import Costs, Operator
from federated.memo.graph import QueryGraph
from federated.memo.ways import NONE, Key, Kind, Property, Way, Ways


class Or(NamedTuple):
    """A set of relations with a property; ``expression`` numbers its set, ``ways`` its and nodes."""

    id: int
    mask: int
    property: Property
    expression: int
    ways: range


class And(NamedTuple):
    """One way to get or node ``of``; a lookup's right input is the index that it probes."""

    id: int
    of: int
    operator: Operator
    left: int | None
    right: int | None

    @property
    def inputs(self) -> tuple[int, ...]:
        return tuple(i for i in (self.left, self.right) if i is not None)


class Share(NamedTuple):
    """Of or node ``of``: its best cost, unless it is a scan's own, and a weight by row or comparison."""

    of: int
    operator: Operator
    weight: float


class Space:
    """Numbered or and and nodes of the roots' graph, and the two shares of each and node."""

    def __init__(
        self,
        graph: QueryGraph,
        roots: Sequence[int] = (),
        costs: Costs | None = None,
        *,
        physical: bool = True,
    ) -> None:
        self.graph = graph
        self.costs = costs or Costs()
        self.physical = physical
        wanted = [(mask, NONE) for mask in (tuple(roots) or (graph.everything,))]
        found = Ways(graph, physical=physical).below(wanted)
        keys = sorted(found, key=_bottom_up)
        self._numbers: dict[Key, int] = {key: number for number, key in enumerate(keys)}
        self.masks = sorted({mask for mask, _ in keys}, key=lambda mask: (mask.bit_count(), mask))
        self._expressions = {mask: number for number, mask in enumerate(self.masks)}
        self.roots = tuple(self._numbers[key] for key in wanted)
        self.ors: list[Or] = []
        self.ands: list[And] = []
        self.output: list[float] = []
        self.shares: list[Share] = [Share(0, Operator.INDEX_ACCESS, 0.0)]
        self.read: list[tuple[int, int]] = []
        self._shared: dict[tuple[int, Operator], int] = {}
        self._number(keys, found)

    def number(self, mask: int, wanted: Property = NONE) -> int | None:
        """Return the or node of a set with a property, where the roots can use it."""
        return self._numbers.get((mask, wanted))

    def expression(self, mask: int) -> int | None:
        """Return the number of a set, where a root may compute it."""
        return self._expressions.get(mask)

    def local(self, step: And, rows: Sequence[float], factor: float = 1.0) -> float:
        """Return the cost of one step by itself, its work times a factor, from the expressions' rows."""
        out = rows[self.ors[step.of].expression]
        read = [rows[self.ors[i].expression] for i in step.inputs] or [out]
        work = self.costs.work(step.operator, read)
        return factor * work + self.costs.putting_out(step.operator) * out

    def _number(self, keys: list[Key], found: dict[Key, list[Way]]) -> None:
        for number, key in enumerate(keys):
            first = len(self.ands)
            for way in found[key]:
                self._append(number, way)
            mask, has = key
            self.output.append(0.0 if has.kind is Kind.INDEX else self.costs.output)
            self.ors.append(Or(number, mask, has, self._expressions[mask], range(first, len(self.ands))))

    def _append(self, number: int, way: Way) -> None:
        left = None if way.left is None else self._numbers[way.left]
        right = None if way.right is None else self._numbers[way.right]
        self.ands.append(And(len(self.ands), number, way.operator, left, right))
        probed = way.operator is Operator.LOOKUP
        self.read.append(
            (
                self._share(number if left is None else left, way.operator),
                0 if right is None or probed else self._share(right, way.operator),
            )
        )

    def _share(self, of: int, operator: Operator) -> int:
        """Return the number of an input's share; number 0 is nothing."""
        if operator is Operator.INDEX_ACCESS:
            return 0
        found = self._shared.get((of, operator))
        if found is None:
            found = self._shared[of, operator] = len(self.shares)
            self.shares.append(Share(of, operator, self.costs.weight(operator)))
        return found


def _bottom_up(key: Key) -> tuple[int, int, int, int]:
    mask, has = key
    return mask.bit_count(), has.kind, mask, has.of
