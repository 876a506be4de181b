"""A plan as one conjunction: what it reads, seen through projections, selections, joins and distinct.

    π(σp(A ⋈ δ(π'(B))))   →   reads A, B    predicates and expressions over A × B

How often a row is there is lost on the way, so this serves questions of which rows there can be.
Aggregates, unions, anti-joins and other strata are read as they are.
"""

from engine.plan.bodies import Body, bodies_of, narrowed, side_by_side
from engine.plan.expressions import Call, Expr, Field, Literal, conjuncts, substitute
from engine.plan.logical import Definition, Distinct, Join, Plan, Project, Scan, Select

COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


def block_of(plan: Plan) -> Body:
    """Return the conjunction that a plan is."""
    match plan:
        case Distinct(child):
            return block_of(child)
        case Select(child, predicate):
            return narrowed(block_of(child), conjuncts(predicate))
        case Project(child, expressions):
            block = block_of(child)
            return block._replace(expressions=tuple(substitute(e, block.expressions) for e in expressions))
        case Join(inputs, predicates):
            return narrowed(side_by_side(tuple(map(block_of, inputs))), predicates)
    of = f"{plan.relation.name}." if isinstance(plan, Scan) else ""
    return Body((plan,), (), tuple(Field(i, c.type, of + c.name) for i, c in enumerate(plan.columns)))


def blocks_of(definition: Definition) -> list[Body]:
    """Return the conjunctions that define a relation, their closed parts seen through."""
    return [seen_through(body) for plan in definition.bodies for body in bodies_of(plan, definition)]


def seen_through(body: Body) -> Body:
    """Return a conjunction over what its parts read."""
    parts = side_by_side(tuple(map(block_of, body.reads)))

    def over_reads(expressions: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(substitute(e, parts.expressions) for e in expressions)

    absent = tuple(each._replace(left_keys=over_reads(each.left_keys)) for each in body.without)
    put_out = over_reads(body.expressions)
    return narrowed(parts, body.predicates)._replace(expressions=put_out, without=absent)


def asked_of(block: Body) -> tuple[Expr, ...]:
    """Return what decides whether a row is derived: conditions, and keys that must be absent."""
    return (*block.predicates, *(key for each in block.without for key in each.left_keys))


def spans(block: Body) -> list[range]:
    """Return where each relation's columns lie."""
    widths = [len(plan.columns) for plan in block.reads]
    return [range(sum(widths[:i]), sum(widths[: i + 1])) for i in range(len(widths))]


def is_known(expression: Expr, facts: tuple[Expr, ...]) -> bool:
    """Tell whether an expression is never NULL where all facts hold, sums beyond their type aside."""
    match expression:
        case Literal(value):
            return value is not None
        case Call("least" | "greatest" | "coalesce", args):
            return any(is_known(arg, facts) for arg in args)
        case Call("+" | "-" | "*" | "double_of_bigint", args):
            return all(is_known(arg, facts) for arg in args)
    return any(_refuses_null(fact, expression) for fact in facts)


def _refuses_null(fact: Expr, expression: Expr) -> bool:
    match fact:
        case Call("not", (Call("is_null", (tested,)),)):
            return tested == expression
        case Call(function, args) if function in COMPARISONS:
            return expression in args
    return False


def is_not_negative(expression: Expr, facts: tuple[Expr, ...]) -> bool:
    """Tell whether an expression is at least zero where all facts hold."""
    match expression:
        case Literal(int() | float() as value):
            return value >= 0
        case Call("+" | "*" | "greatest" | "least" | "double_of_bigint", args):
            return all(is_not_negative(arg, facts) for arg in args)
        case Call("abs"):
            return True
    return any(_bounds_below(fact, expression) for fact in facts)


def _bounds_below(fact: Expr, expression: Expr) -> bool:
    """Recognise expression >= c, expression > c and expression = c, turned round too, for a c from zero."""
    match fact:
        case Call(function, (left, right)) if function in TURNED:
            sides = ((left, function, right), (right, TURNED[function], left))
            return any(
                here == expression and sign in (">=", ">", "=") and is_not_negative(there, ())
                for here, sign, there in sides
            )
    return False
