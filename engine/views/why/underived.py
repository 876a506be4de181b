"""Why rules do not derive a row: each as far as it gets; what an input has not is asked for there."""

from collections.abc import Callable, Iterator

from engine.model.values import Row
from engine.plan.physical import Recursive
from engine.views.nodes import InnerNode, Node
from engine.views.why.absent import Failure, Reason, why_not
from engine.views.why.effort import Effort, Exhausted
from engine.views.why.gap import Gap, gap_of
from engine.views.why.kept_out import Block, KeptOut
from engine.views.why.match import Bound

Find = Callable[[Node, Bound], list[Row]]
Below = Callable[[Node, Bound], Iterator[Gap]]
BlockedGap = Callable[[KeptOut], Gap]


class Underived:
    """Asks a recursive node.

    ``find`` looks into a node, ``below`` asks one for what it has not, ``blocked`` names what it has.
    """

    def __init__(
        self, node: InnerNode, find: Find, below: Below, blocked: BlockedGap, effort: Effort
    ) -> None:
        self._node = node
        self._blocked = blocked
        self._find = find
        self._below = below
        self._effort = effort

    def by_rules(self, plan: Recursive, wanted: Bound) -> Iterator[Gap]:
        """Ask each rule of the definition that the row is of."""
        first = len(plan.program.inputs)
        is_alone = len(plan.program.definitions) == 1
        relation = first if is_alone else first + int(wanted[0] or 0)  # type: ignore[arg-type]
        head = wanted if is_alone else {column - 1: value for column, value in wanted.items() if column}

        def find(relation: int, bound: Bound) -> list[Row]:
            if relation < first:
                return self._find(self._node.inputs[relation], bound)
            if is_alone:
                return self._find(self._node, bound)
            behind = {0: relation - first} | {column + 1: value for column, value in bound.items()}
            return [row[1:] for row in self._find(self._node, behind)]

        result = why_not(plan.program, relation, head, find, self._effort)
        for failure in result.failures:
            yield from self._of_rule(plan, relation, failure, head)
        if result.is_truncated:
            raise Exhausted

    def _of_rule(self, plan: Recursive, head: int, failure: Failure, wanted: Bound) -> Iterator[Gap]:
        program = plan.program
        relation = head if failure.relation is None else failure.relation
        asked = wanted if failure.relation is None else failure.wanted
        rows = tuple(row for _, row in failure.satisfied)
        if failure.blocking and program.is_input(relation):
            node = self._node.inputs[relation]
            yield self._blocked(KeptOut((), Block(node, asked, failure.blocking)))
        elif program.is_input(relation) and failure.reason is Reason.NO_ROW:
            for gap in self._below(self._node.inputs[relation], asked):
                yield gap._replace(found=(*rows, *gap.found))
        elif program.is_input(relation):
            yield gap_of(failure.reason, self._node.inputs[relation], asked, rows)
        else:
            definition = program.definitions[relation - len(program.inputs)]
            named = {definition.columns[column].name: value for column, value in asked.items()}
            yield Gap(failure.reason, definition.name, named, failure.blocking or rows)
