"""Make doubling linear.

    T :- E.   T(x, z) :- T(x, y), T(y, z)      →      T :- E.   T(x, z) :- E(x, y), T(y, z)

Both derive the paths over E, from the same tokens; the linear rules meet each pair once for every
edge, doubling once for every place between.
"""

from dataclasses import replace

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field
from engine.plan.program import Program, Rule


def maybe_undoubled(program: Program) -> Program:
    """Replace T(x, z) :- T(x, y), T(y, z) by a linear rule for each rule that is not recursive."""
    if len(program.definitions) != 1 or program.definitions[0].best or program.negates:
        return program
    doubling = [rule for rule in program.rules if _is_doubling(program, rule)]
    base = [rule for rule in program.rules if all(map(program.is_input, rule.body))]
    if len(doubling) != 1 or len(base) + 1 != len(program.rules):
        return program
    return replace(program, rules=(*base, *(_extended(program, rule) for rule in base)))


def _is_doubling(program: Program, rule: Rule) -> bool:
    width = program.width(rule.head)
    half = width // 2
    columns = program.definitions[0].columns
    if rule.body != (rule.head, rule.head) or width % 2:
        return False
    ends = [i if i < half else width + i for i in range(width)]
    meets = {frozenset((half + i, width + i)) for i in range(half)}
    asked = [_equality(p) for p in rule.predicates]
    return (
        [e.position if isinstance(e, Field) else None for e in rule.expressions] == ends
        and len(asked) == half
        and set(asked) == meets
        and all(columns[i].type is columns[half + i].type for i in range(half))
    )


def _equality(predicate: Expr) -> frozenset[int] | None:
    if isinstance(predicate, Call) and predicate.function == "=":
        here, there = predicate.args
        if isinstance(here, Field) and isinstance(there, Field):
            return frozenset((here.position, there.position))
    return None


def _extended(program: Program, rule: Rule) -> Rule:
    """Return T(x, z) :- body(x, y), T(y, z) for T(x, y) :- body(x, y)."""
    width = program.width(rule.head)
    half, start = width // 2, sum(map(program.width, rule.body))
    columns = program.definitions[0].columns
    meets = tuple(
        Call("=", (rule.expressions[half + i], Field(start + i, columns[i].type)), Type.BOOLEAN)
        for i in range(half)
    )
    ends = tuple(Field(start + half + i, columns[half + i].type) for i in range(half))
    return Rule(
        rule.head,
        (*rule.body, rule.head),
        (*rule.predicates, *meets),
        (*rule.expressions[:half], *ends),
    )
