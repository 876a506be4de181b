"""A recursive node as rules, whatever form a driver would give it, and whether they may be split.

    Closure     H(x, ȳ) :- seed(x, ȳ).       H(x, ȳ) :- edge(x, z), H(z, ȳ).
    BestPaths   H(x, ȳ, best c) :- …          H(x, ȳ, best w∘c) :- edge(x, z, w), H(z, ȳ, c).

Rules are split unless they negate what they read, are staged or bounded in rounds; and unless one of several
definitions keeps best rows only: what is no longer best is not taken back from what was derived of it, which
is true of one relation, whose own best rows are all that is shown, and not of others that read it.
"""

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field
from engine.plan.logical import Best
from engine.plan.physical import BestPaths, Closure, Physical, Recursive
from engine.plan.program import Defined, Program, Rule

EDGES, SEEDS, DEFINED = 0, 1, 2


def rules_of(plan: Physical) -> Program | None:
    """Return the rules of a recursive node; None of any other."""
    match plan:
        case Recursive(_, program):
            return program
        case Closure() | BestPaths():
            return linear(plan)
    return None


def may_split(program: Program) -> bool:
    """Tell whether partitions may have shares of a stratum."""
    is_plain = not (program.is_staged or program.negates) and program.rounds is None
    selects = any(definition.best for definition in program.definitions)
    return is_plain and not (selects and len(program.definitions) > 1)


def linear(plan: Closure | BestPaths) -> Program:
    """Return the two rules of a pass-through linear stratum."""
    width, order, columns = plan.width, plan.order, plan.columns
    edges, seeds = plan.edges.columns, plan.seeds.columns
    read = len(edges)

    def of_head(laid: int) -> Field:
        at = order.index(laid)
        return Field(read + at, columns[at].type)

    meets = tuple(
        Call("=", (Field(width + i, edges[width + i].type), of_head(i)), Type.BOOLEAN) for i in range(width)
    )
    stepped: list[Expr] = [
        Field(laid, edges[laid].type) if laid < width else of_head(laid) for laid in range(len(order))
    ]
    best: tuple[Best, ...] = ()
    if isinstance(plan, BestPaths):
        cost = order.index(len(order) - 1)
        weight = Field(2 * width, edges[2 * width].type)
        stepped[-1] = Call(plan.combine, (weight, stepped[-1]), columns[cost].type)
        best = (Best(plan.best, cost),)
    kept = {each.position for each in best}
    group = tuple(i for i in range(len(order)) if best and i not in kept)
    return Program(
        (edges, seeds),
        (Defined("paths", columns, group, best),),
        (
            Rule(DEFINED, (SEEDS,), (), tuple(Field(laid, seeds[laid].type) for laid in order)),
            Rule(DEFINED, (EDGES, DEFINED), meets, tuple(stepped[laid] for laid in order)),
        ),
    )
