"""The functors of Soufflé: which kinds they take, and which functions of a plan they are.

A parameter is a kind, or one of: numeric, whole, ordered: the same such kind wherever it stands;
any: whatever.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.lang.datalog.types import FLOAT, NUMBER, NUMERIC, PLAIN, SYMBOL, UNSIGNED, WHOLE
from engine.plan.expressions import Call, Expr

SAME = {"numeric": NUMERIC, "whole": WHOLE, "ordered": frozenset(PLAIN), "any": frozenset(PLAIN)}
Makes = Callable[[tuple[Expr, ...], tuple[str, ...], str], Expr]


@dataclass(frozen=True)
class Functor:
    """``least`` arguments or, where it is ``open``, more of the last parameter's."""

    parameters: tuple[str, ...]
    result: str
    makes: Makes
    is_open: bool = False

    def parameter(self, position: int) -> str:
        return self.parameters[min(position, len(self.parameters) - 1)]

    def takes(self, count: int) -> bool:
        least = len(self.parameters)
        return count >= least if self.is_open else count == least


def call(function: str, *args: Expr, kind: str) -> Call:
    return Call(function, args, PLAIN[kind])


def natural(expr: Expr, kind: str) -> Expr:
    """An unsigned result below zero is none."""
    return call("natural", expr, kind=UNSIGNED) if kind == UNSIGNED else expr


def by_kind(**functions: str) -> Makes:
    """Use the function of the kind; « whole » of number and unsigned."""

    def makes(args: tuple[Expr, ...], kinds: tuple[str, ...], kind: str) -> Expr:
        name = functions["float" if kind == FLOAT else "whole"]
        return natural(call(name, *args, kind=kind), kind)

    return makes


def plain(function: str) -> Makes:
    return lambda args, kinds, kind: natural(call(function, *args, kind=kind), kind)


def folded(function: str) -> Makes:
    """Put arguments together from the left, two at a time."""

    def makes(args: tuple[Expr, ...], kinds: tuple[str, ...], kind: str) -> Expr:
        first, *others = args
        for each in others:
            first = call(function, first, each, kind=kind)
        return first

    return makes


CONVERSIONS = {
    (SYMBOL, NUMBER): "bigint_of_text",
    (SYMBOL, UNSIGNED): "bigint_of_text",
    (SYMBOL, FLOAT): "double_of_text",
    (NUMBER, FLOAT): "double_of_bigint",
    (UNSIGNED, FLOAT): "double_of_bigint",
    (FLOAT, NUMBER): "truncated",
    (FLOAT, UNSIGNED): "truncated",
    (NUMBER, SYMBOL): "text_of_bigint",
    (UNSIGNED, SYMBOL): "text_of_bigint",
    (FLOAT, SYMBOL): "text_of_double",
}


def converted(args: tuple[Expr, ...], kinds: tuple[str, ...], kind: str) -> Expr:
    """Convert between plain kinds; number and unsigned hold the same values but for the sign."""
    (arg,), (source,) = args, kinds
    function = CONVERSIONS.get((source, kind))
    changed = arg if function is None else call(function, arg, kind=kind)
    return changed if source == kind else natural(changed, kind)


def bits(name: str, count: int = 2) -> tuple[str, Functor]:
    return name, Functor(("whole",) * count, "whole", plain(name))


def between(name: str, source: str, target: str) -> tuple[str, Functor]:
    return name, Functor((source,), target, converted)


FUNCTORS: dict[str, Functor] = dict(
    [
        ("+", Functor(("numeric",) * 2, "numeric", plain("+"))),
        ("-", Functor(("numeric",) * 2, "numeric", plain("-"))),
        ("*", Functor(("numeric",) * 2, "numeric", plain("*"))),
        ("/", Functor(("numeric",) * 2, "numeric", by_kind(float="/", whole="quotient"))),
        ("^", Functor(("numeric",) * 2, "numeric", by_kind(float="power", whole="whole_power"))),
        ("%", Functor(("whole",) * 2, "whole", plain("%"))),
        ("negate", Functor(("numeric",), "numeric", plain("negate"))),
        *(bits(name) for name in ("band", "bor", "bxor", "bshl", "bshr", "bshru", "land", "lor", "lxor")),
        *(bits(name, 1) for name in ("bnot", "lnot")),
        ("cat", Functor((SYMBOL,), SYMBOL, folded("||"), is_open=True)),
        ("strlen", Functor((SYMBOL,), NUMBER, plain("length"))),
        ("substr", Functor((SYMBOL, NUMBER, NUMBER), SYMBOL, plain("cut"))),
        ("ord", Functor((SYMBOL,), NUMBER, plain("number_of"))),
        ("min", Functor(("ordered",) * 2, "ordered", plain("least"), is_open=True)),
        ("max", Functor(("ordered",) * 2, "ordered", plain("greatest"), is_open=True)),
        *(between(f"to_{kind}", "any", kind) for kind in (NUMBER, UNSIGNED, FLOAT)),
        between("to_string", "any", SYMBOL),
        between("itou", NUMBER, UNSIGNED),
        between("itof", NUMBER, FLOAT),
        between("utoi", UNSIGNED, NUMBER),
        between("utof", UNSIGNED, FLOAT),
        between("ftoi", FLOAT, NUMBER),
        between("ftou", FLOAT, UNSIGNED),
    ]
)

RANGE = (
    "range is not part of this Datalog, for it makes rows of nothing; "
    "a recursive rule that counts up to a bound may do"
)
