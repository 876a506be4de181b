"""Parameters: ``:name`` in a text stands for a value that is given when it is asked.

    parse(text)  →  tree with :name      with_values(tree, {name: value})  →  tree with the values in place

A value has its type, except one given as text: that becomes what its neighbours need, so that a
command line, which knows nothing but text, can give any. The parsed text serves every set of values.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from sqlglot import exp

from engine.lang.streamsql.grammar.nodes import GivenNode
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError, Span, nearest
from engine.model.values import SCALARS, Type, Value
from engine.plan.expressions import Expr, Literal
from engine.plan.meanings import BIGINT_BOUND
from engine.plan.typed import typed

Parameters = Mapping[str, Value]
NO_PARAMETERS: Parameters = {}
MOST_MIXED = 2


def check_given(trees: Iterable[exp.Expr], given: Parameters) -> None:
    """Compare what a text asks for with what is given, and name what is missing or too many."""
    asked = dict.fromkeys(name for tree in trees for name in names_in(tree))
    missing = [name for name in asked if name not in given]
    if missing:
        close = nearest(missing[0], [name for name in given if name not in asked])
        message = f"no value is given for {listed(missing)}{close}"
        raise QueryError(message, next(place for tree in trees if (place := place_of(tree, missing[0]))))
    superfluous = [name for name in given if name not in asked]
    if superfluous:
        asks = f"it asks for {listed(asked)}" if asked else "it asks for none"
        message = f"{listed(superfluous)} is given, and the text does not have it; {asks}"
        raise QueryError(message)


def check_unasked(tree: exp.Expr) -> None:
    """Refuse parameters where nobody is there to give them."""
    for name in names_in(tree):
        message = f"a view has no parameters, found :{name}; write a value, or ask it as a query"
        raise QueryError(message, place_of(tree, name))


def names_in(tree: exp.Expr) -> list[str]:
    return [node.name for node in tree.find_all(exp.Placeholder)]


def place_of(tree: exp.Expr, name: str) -> Span | None:
    return next((span_of(node) for node in tree.find_all(exp.Placeholder) if node.name == name), None)


def listed(names: Iterable[str]) -> str:
    return ", ".join(f":{name}" for name in names)


def with_values(tree: exp.Expr, given: Parameters) -> exp.Expr:
    """Return the tree with each parameter's value in its place; the tree itself stays as it is."""
    if tree.find(exp.Placeholder) is None:
        return tree
    copied = tree.copy()
    for node in list(copied.find_all(exp.Placeholder)):
        if node.name in given:
            new = _value_in_place(node, given[node.name])
            copied = new if node is copied else copied
            node.replace(new)
    return copied


def _value_in_place(node: exp.Placeholder, value: Value) -> exp.Expr:
    is_count = isinstance(node.parent, exp.Limit | exp.Offset)
    new = exp.Literal.number(str(value)) if is_count else GivenNode(this=node.name, value=value)
    new.meta.update(node.meta)
    return new


class Givens:
    """The values that one clause was given; those given as text are fitted where they are used."""

    def __init__(self, clause: str) -> None:
        self._clause = clause
        self._texts: dict[int, tuple[Literal, exp.Expr]] = {}

    def literal(self, node: GivenNode) -> Literal:
        """Return a value as a constant."""
        value = node.args["value"]
        if isinstance(value, str):
            text = Literal(value, Type.TEXT)
            self._texts[id(text)] = (text, node)
            return text
        kind = KINDS.get(type(value))
        is_too_large = (
            not -BIGINT_BOUND <= value < BIGINT_BOUND
            if kind is Type.BIGINT
            else kind is Type.DOUBLE and not math.isfinite(value)
        )
        if kind is None or is_too_large:
            message = (
                f"the parameter :{node.name} is {value!r}{where(node, self._clause)}; expected {EXPECTED}"
            )
            raise QueryError(message, span_of(node))
        return Literal(value, kind)

    def fitted(self, args: Sequence[Expr], fits: Callable[[Sequence[Expr]], bool]) -> Sequence[Expr]:
        """Return the arguments, what was given as text as the first type with which they fit."""
        texts = [place for place, arg in enumerate(args) if id(arg) in self._texts]
        if not texts:
            return args
        wanted = [
            arg.type for place, arg in enumerate(args) if place not in texts and arg.type is not Type.TEXT
        ]
        choices = list(dict.fromkeys([*wanted, Type.TEXT, *SCALARS]))
        mixed = product(choices, repeat=len(texts)) if len(texts) <= MOST_MIXED else ()
        for types in [*((each,) * len(texts) for each in choices), *mixed]:
            tried = list(args)
            for place, kind in zip(texts, types, strict=True):
                tried[place] = Literal(typed(str(args[place].value), kind), kind)  # type: ignore[union-attr]
            if all(tried[place].value is not None for place in texts) and fits(tried):  # type: ignore[union-attr]
                return tried
        if wanted:
            raise self._unfit(args[texts[0]], wanted[0])
        return args

    def condition(self, bound: Expr) -> Expr:
        """Return what stands where a condition must."""
        if id(bound) not in self._texts:
            return bound
        value = typed(str(self._texts[id(bound)][0].value), Type.BOOLEAN)
        if value is None:
            raise self._unfit(bound, Type.BOOLEAN)
        return Literal(value, Type.BOOLEAN)

    def _unfit(self, bound: Expr, wanted: Type) -> QueryError:
        text, node = self._texts[id(bound)]
        message = (
            f"the parameter :{node.name} is {text.value!r}, which is no {wanted}{where(node, self._clause)}"
        )
        return QueryError(message, span_of(node))


KINDS: dict[type, Type] = {
    int: Type.BIGINT,
    float: Type.DOUBLE,
    bool: Type.BOOLEAN,
    type(None): Type.TEXT,
}
EXPECTED = "a number, a text, true, false or null"
