"""Whether aggregate selection inside a recursion is sound: what is best of a group is enough to go on with.

    best(derived(rows))  =  best(derived(best(rows)))

It is where a better cost never derives worse: of what the selected relation is read for, its cost goes
into nothing but the head's cost, and keeps its order there; a condition may read it only if a better
cost does not fail it. What takes the best of the costs must take the same best.

    cost' = cost + w        least(cost, w)        cost < 10 under min        group' = f(group, closed)

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VII.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.plan.blocks import asked_of, blocks_of, spans
from engine.plan.bodies import Body
from engine.plan.expressions import Call, Expr, Field, Literal, positions, to_text
from engine.plan.logical import Best, Definition, Fixpoint, Recur

ORDERED = frozenset({"+", "least", "greatest", "double_of_bigint"})
BELOW, ABOVE = ("<", "<="), (">", ">=")


class Costs(NamedTuple):
    """Where in a conjunction the costs of selected relations lie, and which best they are."""

    best: Mapping[int, str]

    def read_by(self, expression: Expr) -> frozenset[int]:
        return positions(expression) & self.best.keys()

    def keeps_order(self, expression: Expr) -> bool:
        """Tell whether an expression is not worse for better costs."""
        if not self.read_by(expression):
            return True
        match expression:
            case Field():
                return True
            case Call(function, args) if function in ORDERED:
                return all(map(self.keeps_order, args))
            case Call("-", (cost, other)):
                return self.keeps_order(cost) and not self.read_by(other)
            case Call(
                "*", (cost, Literal(int() | float() as factor)) | (Literal(int() | float() as factor), cost)
            ):
                return factor > 0 and self.keeps_order(cost)
        return False

    def is_strict(self, expression: Expr) -> bool:
        """Tell whether an expression is better for better costs, so that only the best derive the best."""
        match expression:
            case Field(position):
                return position in self.best
            case Call("+", args):
                return all(self.is_strict(arg) for arg in args if self.read_by(arg)) and bool(
                    self.read_by(expression)
                )
        return False

    def lets_better_pass(self, predicate: Expr) -> bool:
        """Tell whether a condition that holds of costs holds of better ones."""
        if not (read := self.read_by(predicate)):
            return True
        directions = {self.best[position] for position in read}
        match predicate:
            case Call("and" | "or", args):
                return all(map(self.lets_better_pass, args))
            case Call("not", (Call("is_null", (Field(),)),)):
                return True
            case Call(function, (left, right)) if function in BELOW + ABOVE and len(directions) == 1:
                lower, upper = (left, right) if function in BELOW else (right, left)
                cost, bound = (lower, upper) if directions == {"min"} else (upper, lower)
                return self.keeps_order(cost) and not self.read_by(bound)
        return False


def costs_in(block: Body, definitions: tuple[Definition, ...]) -> Costs:
    """Return where the costs of the selected relations lie that a conjunction reads."""
    found: dict[int, str] = {}
    for plan, span in zip(block.reads, spans(block), strict=True):
        if isinstance(plan, Recur):
            found |= {span[best.position]: best.function for best in definitions[plan.number].best}
    return Costs(found)


def objections(fixpoint: Fixpoint) -> Iterator[str]:
    """Yield what keeps the selections of a fixpoint from being sound."""
    for definition in fixpoint.definitions:
        for block in blocks_of(definition):
            yield from _objections_to(block, definition, costs_in(block, fixpoint.definitions))


def _objections_to(block: Body, definition: Definition, costs: Costs) -> Iterator[str]:
    selected: dict[int, Best] = {best.position: best for best in definition.best}
    for predicate in asked_of(block):
        if not costs.lets_better_pass(predicate):
            yield f"{to_text(predicate)} may hold of a cost and not of a better one"
    for i, expression in enumerate(block.expressions):
        column, best = definition.columns[i].name, selected.get(i)
        read = {costs.best[position] for position in costs.read_by(expression)}
        if read and best is None:
            yield f"{column} is made of a cost, {to_text(expression)}, and not selected by it"
        elif best and (read - {best.function} or not costs.keeps_order(expression)):
            yield f"{column} may be worse for a better cost: {to_text(expression)}"
