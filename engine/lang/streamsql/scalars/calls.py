"""Calls of functions, and the forms of SQL that are calls in other words.

    substring(t FROM 2 FOR 3)   trim(LEADING FROM t)   position(a IN b)   extract(hour FROM at)
    ARRAY[1, 2]   list[1]   list[2:3]   x = ANY(list)   INTERVAL '5 minutes'

Functions are found by name in the catalogue, not by a node of sqlglot's, of which there are hundreds.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from sqlglot import exp

from engine.lang.streamsql.elsewhere import FUNCTIONS as ELSEWHERE
from engine.lang.streamsql.refusals import BY_NAME, BY_NODE, refusal
from engine.lang.streamsql.scalars.literals import UNTYPED_NULL
from engine.lang.streamsql.spans import shown, span_of, where
from engine.model.errors import QueryError, nearest
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Literal
from engine.plan.functions import FUNCTIONS, SYNONYMS
from engine.plan.functions.geometry import region_of
from engine.plan.functions.time import FRACTIONS, PARTS, UNITS, parsed_interval
from engine.plan.meanings import BIGINT_BOUND


class Binder(Protocol):
    """What binds the parts of a form; ``clause`` is where it stands, for errors."""

    @property
    def clause(self) -> str: ...
    def bind(self, node: exp.Expr) -> Expr: ...
    def call(self, name: str, args: Sequence[Expr], node: exp.Expr) -> Expr: ...


Form = Callable[[Binder, exp.Expr], Expr]

NAMES = sorted({*SYNONYMS, *(name for name, function in FUNCTIONS.items() if function.is_named)})
LIST_NAMES = ("array_cat", "array_append", "array_prepend")
TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}


def named(binder: Binder, node: exp.Expr) -> Expr:
    """Bind a call by its function's name."""
    name = SYNONYMS.get(node.name.lower(), node.name.lower())
    place = where(node, binder.clause)
    if name in BY_NAME:
        raise refusal(node, binder.clause)
    if name == "date_trunc":
        check_unit(binder, node)
    if name == "date_part" and len(node.expressions) == 2:
        return part(binder, node.expressions[0], node.expressions[1], node)
    function = FUNCTIONS.get(name)
    if function is None or not function.is_named:
        known = nearest(name, NAMES) or "; the reference lists those that there are"
        meant = f"; {ELSEWHERE[name]}" if name in ELSEWHERE else known
        message = f"unknown function {node.name}{place}{meant}"
        raise QueryError(message, span_of(node))
    found = binder.call(name, bound(binder, node.expressions), node)
    if name == "region":
        check_region(binder, found, node)
    return found


def check_region(binder: Binder, found: Expr, node: exp.Expr) -> None:
    """Refuse a constant that is no region; of any other text that is none the value is NULL."""
    (given,) = found.args if isinstance(found, Call) else (found,)
    if isinstance(given, Literal) and given.value is not None and region_of(str(given.value)) is None:
        said = shown(node.expressions[0])
        message = f"{said} is no region{where(node, binder.clause)}; it is a polygon, as WKT or GeoJSON"
        raise QueryError(message, span_of(node))


def types_of(args: Sequence[Expr]) -> list[Type | None]:
    return [None if arg == UNTYPED_NULL else arg.type for arg in args]


def bound(binder: Binder, nodes: Sequence[object]) -> list[Expr]:
    """Return those of the nodes that are there, bound."""
    return [binder.bind(node) for node in nodes if isinstance(node, exp.Expr)]


def refused(binder: Binder, node: exp.Expr) -> Expr:
    raise refusal(node, binder.clause)


def trimmed(binder: Binder, node: exp.Expr) -> Expr:
    name = TRIMS.get(node.args.get("position") or "", "btrim")
    return binder.call(name, bound(binder, [node.this, node.args.get("expression")]), node)


def substring(binder: Binder, node: exp.Expr) -> Expr:
    given = [node.this, node.args.get("start"), node.args.get("length")]
    return binder.call("substring", bound(binder, given), node)


def position(binder: Binder, node: exp.Expr) -> Expr:
    return binder.call("strpos", bound(binder, [node.this, node.args["substr"]]), node)


def extracted(binder: Binder, node: exp.Expr) -> Expr:
    return part(binder, node.this, node.expression, node)


def part(binder: Binder, unit: exp.Expr, of: exp.Expr, node: exp.Expr) -> Expr:
    """Bind a part of a timestamp: each is a function of its own."""
    name = unit.name.lower()
    if name not in PARTS and name not in FRACTIONS:
        known = ", ".join((*PARTS, *FRACTIONS))
        message = f"unknown part {unit.name} of a timestamp{where(node, binder.clause)}; there are {known}"
        raise QueryError(message, span_of(node))
    return binder.call(name, [binder.bind(of)], node)


def check_unit(binder: Binder, node: exp.Expr) -> None:
    """See that a unit that is written down is one."""
    unit = node.expressions[0] if node.expressions else None
    if isinstance(unit, exp.Literal) and unit.name.lower() not in UNITS:
        known = ", ".join(UNITS)
        message = f"unknown unit {unit.name}{where(node, binder.clause)}; there are {known}"
        raise QueryError(message, span_of(node))


def interval(binder: Binder, node: exp.Expr) -> Expr:
    """Bind a length of time: a number of microseconds."""
    unit = node.args.get("unit")
    text = f"{node.this.name} {unit.name}" if isinstance(unit, exp.Var) else node.name
    found = parsed_interval(text) if isinstance(node.this, exp.Literal) else None
    if found is None or not -BIGINT_BOUND <= found < BIGINT_BOUND:
        message = (
            f"{shown(node)} is no length of time{where(node, binder.clause)}; it is written as INTERVAL "
            "'1 day 2 hours', by units up to the week, and x * INTERVAL '1 hour' computes one"
        )
        raise QueryError(message, span_of(node))
    return Literal(found, Type.BIGINT)


def array(binder: Binder, node: exp.Expr) -> Expr:
    if not node.expressions:
        message = f"ARRAY[] has no type{where(node, binder.clause)}; write CAST(ARRAY[] AS text[])"
        raise QueryError(message, span_of(node))
    return binder.call("array", bound(binder, node.expressions), node)


def indexed(binder: Binder, node: exp.Expr) -> Expr:
    """Bind list[i] or list[i:j], either end of which may be left out."""
    values, (index, *others) = binder.bind(node.this), node.expressions
    if others:
        message = f"{shown(node)} has several indices{where(node, binder.clause)}; write list[i][j]"
        raise QueryError(message, span_of(node))
    if not isinstance(index, exp.Slice):
        return binder.call("element", [values, binder.bind(index)], node)
    first = binder.bind(index.this) if index.this else Literal(1, Type.BIGINT)
    last = binder.bind(index.expression) if index.expression else Literal(BIGINT_BOUND - 1, Type.BIGINT)
    return binder.call("slice", [values, first, last], node)


def concatenated(binder: Binder, node: exp.Expr) -> Expr:
    """Bind ||: of lists, of a list and an element, or of texts."""
    args = bound(binder, [node.this, node.expression])
    given = types_of(args)
    if all(kind is None or kind.element is None for kind in given):
        return binder.call("||", args, node)
    fitting = (name for name in LIST_NAMES if FUNCTIONS[name].signature.fit(given) is not None)
    return binder.call(next(fitting, "array_append"), args, node)


def compared(name: str) -> Form:
    """Return the form of a comparison, whose right side may be ANY(list) or ALL(list)."""

    def form(binder: Binder, node: exp.Expr) -> Expr:
        found = quantified(node.expression)
        if found is None:
            return binder.call(name, bound(binder, [node.this, node.expression]), node)
        word, values = found
        return binder.call(f"{name} {word}", bound(binder, [node.this, values]), node)

    return form


def quantified(node: exp.Expr) -> tuple[str, exp.Expr] | None:
    """Return ANY or ALL, and the list, where a node is one of these."""
    if isinstance(node, exp.Any | exp.All):
        inner = node.this.this if isinstance(node.this, exp.Paren) else node.this
        return ("ANY" if isinstance(node, exp.Any) else "ALL"), inner
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        word = {"ANY": "ANY", "SOME": "ANY", "ALL": "ALL"}.get(node.name.upper())
        return (word, node.expressions[0]) if word else None
    return None


COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
FORMS: dict[type[exp.Expr], Form] = {
    **{node: compared(name) for node, name in COMPARED.items()},
    **dict.fromkeys(BY_NODE, refused),
    exp.Anonymous: named, exp.Trim: trimmed, exp.Substring: substring, exp.StrPosition: position,
    exp.Extract: extracted, exp.Interval: interval, exp.Array: array, exp.Bracket: indexed,
    exp.DPipe: concatenated,
}  # fmt: skip
