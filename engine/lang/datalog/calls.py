"""Functors that a program declares, and Python functions that whoever runs it has for them.

.functor f(x:number, y:symbol):number   and   {"f": f}   →   @f(x, y)

A function must be pure; it is asked again wherever its result is needed.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.lang.datalog.functors import Functor
from engine.lang.datalog.parts import FunctorDeclaration
from engine.lang.datalog.types import FLOAT, PLAIN, SYMBOL, UNSIGNED, Types, column_type
from engine.model.errors import QueryError, nearest
from engine.model.values import Value
from engine.plan.expressions import Call, Expr
from engine.plan.functions import FUNCTIONS
from engine.plan.functions.function import Function
from engine.plan.meanings import Meaning, strict
from engine.plan.signatures import takes

Functions = Mapping[str, Callable[..., Any]]
Kinds = tuple[str, ...]
NAMES: dict[tuple[str, Kinds, str, Callable[..., Any]], str] = {}


def declared_functors(
    declarations: Iterable[FunctorDeclaration], types: Types, functions: Functions
) -> dict[str, Functor]:
    """Return the functors of a program; one without a function is refused."""
    found: dict[str, Functor] = {}
    for each in declarations:
        function = functions.get(each.name)
        if function is None:
            known = sorted(functions)
            has = f"there are {', '.join(known)}" if known else "there are none"
            message = (
                f"no function for the functor {each.name}, line {each.span.line}; "
                f"whoever runs the program registers it, {has}{nearest(each.name, known)}"
            )
            raise QueryError(message, each.span)
        parameters = tuple(types.kind(name, each.span) for name in each.parameters)
        result = types.kind(each.result, each.span)
        found[f"@{each.name}"] = Functor(parameters, result, maker(each.name, parameters, result, function))
    return found


def maker(name: str, parameters: Kinds, result: str, function: Callable[..., Any]) -> Callable[..., Expr]:
    """Declare a function of plans, once, and return what calls it."""
    made = column_type(result)
    known = NAMES.get((name, parameters, result, function))
    if known is None:
        others = sum(each[0] == name for each in NAMES)
        known = NAMES[name, parameters, result, function] = f"@{name}" + "'" * others
        signature = takes(*map(column_type, parameters), result=made)
        meaning = meaning_of(name, result, function)
        FUNCTIONS[known] = Function(known, signature, meaning, "its arguments", f"@{name}({{all}})")
    return lambda args, kinds, kind: Call(known, args, made)


def meaning_of(name: str, result: str, function: Callable[..., Any]) -> Meaning:
    """Return a function whose results are of the kind that the program declares."""
    wanted: type = (
        str if result == SYMBOL else float if result == FLOAT else int if result in PLAIN else tuple
    )

    def checked(*args: Value) -> Any:
        value: Any = function(*args)
        is_below = result == UNSIGNED and type(value) is int and value < 0
        if value is not None and (type(value) is not wanted or is_below):
            message = f"the functor {name} gave {value!r}, and is declared to give {result}"
            raise QueryError(message)
        return value

    return strict(checked)
