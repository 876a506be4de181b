"""Terms as expressions over what a body has bound, and what must hold that they have a value.

Datalog has no NULL: a functor without a result (a division by zero, a number beyond 64 bits, a text
that is no number) derives nothing, so whatever may have none is asked not to be NULL.
"""

from collections.abc import Iterable, Iterator, Mapping

from engine.lang.datalog import tree as t
from engine.lang.datalog.functors import FUNCTORS, Functor
from engine.lang.datalog.types import PLAIN, column_type
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Literal

# Functions that have a value wherever their arguments have; and those that take a NULL for a part.
TOTAL = frozenset({
    "=", "<>", "<", "<=", ">", ">=", "||", "not", "is_null", "length", "cut", "number_of", "part",
    "text_of_bigint", "text_of_double", "double_of_bigint",
    "band", "bor", "bxor", "bshl", "bshr", "bshru", "bnot", "land", "lor", "lxor", "lnot",
})  # fmt: skip
TAKES_PARTS = frozenset({"least", "greatest", "pack"})
Environment = Mapping[str, Expr]


class Terms:
    """Makes the expressions of one rule; ``functors`` are those that its program declares."""

    def __init__(self, functors: Mapping[str, Functor], kinds: Mapping[str, str]) -> None:
        self._functors = functors
        self._kinds = kinds

    def expression(self, term: t.Term, bound: Environment) -> Expr:
        """Return a term's value, all of whose variables are bound."""
        match term:
            case t.Variable(name):
                return bound[name]
            case t.Constant(value, kind):
                return Literal(value, PLAIN[kind])
            case t.Record(is_nil=True):
                return Literal((), column_type(term.kind))
            case t.Record(args, branch):
                parts = [self.expression(arg, bound) for arg in args]
                named = [Literal(branch, Type.TEXT), *parts] if branch else parts
                return Call("pack", tuple(named), column_type(term.kind))
            case t.Functor(name, args):
                functor = self._functors[name] if name.startswith("@") else FUNCTORS[name]
                given = tuple(self.expression(arg, bound) for arg in args)
                return functor.makes(given, tuple(map(self.kind, args)), term.kind)
        raise AssertionError(term)

    def kind(self, term: t.Term) -> str:
        if isinstance(term, t.Variable):
            return self._kinds[term.name]
        assert isinstance(term, t.Constant | t.Functor | t.Record)
        return term.kind


def guards(expressions: Iterable[Expr]) -> list[Expr]:
    """Return what must hold that each of the expressions has a value, each condition once."""
    found = (guard for each in expressions for guard in guards_of(each, is_whole=True))
    return list(dict.fromkeys(found))


def guards_of(expr: Expr, is_whole: bool) -> Iterator[Expr]:
    """Guard the largest parts whose NULL nothing around them hands on."""
    if not isinstance(expr, Call):
        return
    hands_on = expr.function not in TAKES_PARTS
    if is_whole and hands_on and may_lack(expr):
        yield has_value(expr)
    for arg in expr.args:
        yield from guards_of(arg, is_whole=not hands_on)


def may_lack(expr: Expr) -> bool:
    """Tell whether a strict call, or one whose NULL it hands on, may have no value."""
    if not isinstance(expr, Call) or expr.function in TAKES_PARTS:
        return False
    return expr.function not in TOTAL or any(map(may_lack, expr.args))


def has_value(expr: Expr) -> Expr:
    return Call("not", (Call("is_null", (expr,), Type.BOOLEAN),), Type.BOOLEAN)


def equal(left: Expr, right: Expr) -> Expr:
    return Call("=", (left, right), Type.BOOLEAN)
