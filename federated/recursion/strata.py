"""A recursive stratum gets its physical form: the cheapest that its rules allow.

linear, handing columns on               →  Closure      bitsets, one witness a row
the same with the best of one cost       →  BestPaths    matrices, alternates left in the edges
anything else, or a limit of rounds      →  Recursive    one derivation a fact, any rules
with stages                              →  Recursive    derivations counted, stage after stage
"""

from collections.abc import Callable, Iterable

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, conjunction
from engine.plan.logical import Fixpoint, Join, Plan, Project, Select
from engine.plan.physical import BestPaths, Closure, Merge, Physical, Pick, Recursive, Unique
from engine.plan.program import to_program
from federated.recursion.doubling import maybe_undoubled
from federated.recursion.linear import Linear, maybe_linear
from federated.rules import rewrite

MATRIX_EDGES = 6_000
"""Of so many edges, two a node, a matrix of all pairs has 9 million cells."""

Place = Callable[[Plan], Physical]


def place_stratum(fixpoint: Fixpoint, place: Place, rows: Callable[[Physical], float]) -> Physical:
    """Return the physical plan of a fixpoint; ``place`` does the same for what it reads."""
    program, closed = to_program(fixpoint)
    is_general = program.is_staged or program.rounds is not None
    shape = None if is_general else maybe_linear(maybe_undoubled(program))
    if shape is not None:
        linear = place_linear(shape, closed, fixpoint.columns, place)
        if not isinstance(linear, BestPaths) or rows(linear.edges) <= MATRIX_EDGES:
            return linear
    stratum = Recursive(tuple(Unique(place(rewrite(plan))) for plan in closed), program)
    return stratum if len(program.definitions) == 1 else Pick(stratum, fixpoint.output)


def place_linear(
    shape: Linear, closed: tuple[Plan, ...], columns: tuple[Column, ...], place: Place
) -> Closure | BestPaths:
    """Return the physical plan of a linear stratum over its edges and seeds."""
    cost = () if shape.cost is None else (shape.cost,)
    laid = (*shape.moving, *shape.passing, *cost)
    width = len(shape.moving)

    def part(body: tuple[int, ...], predicates: tuple[Expr, ...], expressions: Iterable[Expr]) -> Plan:
        return closed_part(tuple(closed[i] for i in body), predicates, tuple(expressions), len(cost))

    edges = [part(step.closed, step.predicates, step.expressions) for step in shape.steps]
    seeds = [part(rule.body, rule.predicates, (rule.expressions[i] for i in laid)) for rule in shape.seeds]
    order = tuple(map(laid.index, range(len(laid))))
    inputs = distinct_union(edges, place), distinct_union(seeds, place)
    if shape.cost is None:
        return Closure(*inputs, width, order, columns)
    return BestPaths(*inputs, width, shape.best, shape.combine, order, columns)


def closed_part(
    inputs: tuple[Plan, ...], predicates: tuple[Expr, ...], expressions: tuple[Expr, ...], costs: int
) -> Plan:
    """Project a conjunction of closed plans; a cost of NULL is never best, so it is left out here."""
    known = tuple(
        Call("not", (Call("is_null", (e,), Type.BOOLEAN),), Type.BOOLEAN)
        for e in expressions[len(expressions) - costs :]
    )
    joined = inputs[0] if len(inputs) == 1 else Join(inputs, ())
    asked = (*predicates, *known)
    selected = Select(joined, conjunction(asked)) if asked else joined
    columns = tuple(Column(f"c{i}", expression.type) for i, expression in enumerate(expressions))
    return Project(selected, expressions, columns)


def distinct_union(plans: list[Plan], place: Place) -> Physical:
    """Place plans whose rows, each once, are one input."""
    placed = tuple(dict.fromkeys(place(rewrite(plan)) for plan in plans))
    return Unique(placed[0] if len(placed) == 1 else Merge(placed))
