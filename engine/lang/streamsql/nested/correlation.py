"""What a query within another reads of it.

While the inner query is bound, a column of the outer one is ``outer(i)``, the i-th that was asked for:
a call that no site can run. It is gone when the inner plan is put into the outer one (``pulling`` and
``domains``). An outer column may itself be one of a query further around.
"""

from collections.abc import Callable, Iterator, Sequence

from sqlglot import exp

from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import Aggregate, AntiJoin, Join, Plan, Project, Select, Top, inputs_of
from engine.plan.outer_join import OuterJoin
from engine.plan.sharing import remembered

OUTER = "outer"


class Correlation:
    """The columns of the query around that a query reads, each once; ``find`` knows those there are."""

    def __init__(self, find: Callable[[exp.Column], Expr | None]) -> None:
        self._find = find
        self.outers: list[Expr] = []

    def __call__(self, node: exp.Column) -> Expr | None:
        """Return what stands for a column of the query around; None where it has none of that name."""
        found = self._find(node)
        if found is None:
            return None
        if found not in self.outers:
            self.outers.append(found)
        number = Literal(self.outers.index(found), Type.BIGINT)
        return Call(OUTER, (number,), found.type)


def number_of(expr: Expr) -> int | None:
    """Return which outer column an expression is; None where it is none."""
    if isinstance(expr, Call) and expr.function == OUTER:
        (number,) = expr.args
        assert isinstance(number, Literal)
        assert isinstance(number.value, int)
        return number.value
    return None


def reads_outer(expr: Expr) -> bool:
    return number_of(expr) is not None or (isinstance(expr, Call) and any(map(reads_outer, expr.args)))


def put_in(expr: Expr, outers: Sequence[Expr], place: Callable[[int], int] = lambda i: i) -> Expr:
    """Return an expression with these for its outer columns, over rows in which its own lie elsewhere."""
    number = number_of(expr)
    if number is not None:
        return outers[number]
    if isinstance(expr, Field):
        return Field(place(expr.position), expr.type, expr.name)
    if isinstance(expr, Call):
        return Call(expr.function, tuple(put_in(arg, outers, place) for arg in expr.args), expr.type)
    return expr


def expressions_of(plan: Plan) -> Iterator[Expr]:
    """Yield the expressions of a node."""
    match plan:
        case Join(_, predicates):
            yield from predicates
        case Select(_, predicate):
            yield predicate
        case Project(_, expressions, _):
            yield from expressions
        case Aggregate(_, groups, calls, _):
            yield from groups
            for call in calls:
                yield from () if call.argument is None else (call.argument,)
                yield from (key.expression for key in call.order)
        case OuterJoin(predicates=predicates):
            yield from predicates
        case AntiJoin(_, _, left_keys, right_keys):
            yield from left_keys + right_keys
        case Top(_, order, _, _):
            yield from (key.expression for key in order)


@remembered
def is_correlated(plan: Plan) -> bool:
    """Tell whether a plan reads outer columns anywhere."""
    return any(map(reads_outer, expressions_of(plan))) or any(map(is_correlated, inputs_of(plan)))
