"""An expression's tree becomes a function of a scope, a node at a time.

    Add(a, b)  →  λ scope: plus(a(scope), b(scope))

What is not in the tables is refused here, when the device announces itself, with what and why.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import Undefined, nodes

from ingest.discovery.templates import bounds, listed
from ingest.discovery.templates.functions import said
from ingest.discovery.templates.scope import Code, Scope, TemplateError

BINARY: dict[type[nodes.Node], Callable[[Any, Any], Any]] = {
    nodes.Add: bounds.plus, nodes.Sub: operator.sub, nodes.Mul: bounds.times, nodes.Div: operator.truediv,
    nodes.FloorDiv: operator.floordiv, nodes.Mod: bounds.remainder, nodes.Pow: bounds.power,
}  # fmt: skip
UNARY: dict[type[nodes.Node], Callable[[Any], Any]] = {
    nodes.Not: operator.not_, nodes.Neg: operator.neg, nodes.Pos: operator.pos,
}  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "lteq": operator.le, "gt": operator.gt,
    "gteq": operator.ge, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip


class Expressions:
    """Compiles the expressions of one template; ``assigned`` are the names that it sets itself."""

    def __init__(self) -> None:
        self.assigned: set[str] = set()
        self._left, self._depth = bounds.MAX_NODES, 0

    def count(self) -> None:
        """Take note of one more node."""
        self._left -= 1
        if self._left < 0 or self._depth > bounds.MAX_DEPTH:
            msg = f"the template has over {bounds.MAX_NODES} parts, or is over {bounds.MAX_DEPTH} deep"
            raise TemplateError(msg)

    def compile(self, node: nodes.Node | None) -> Code:
        """Return the function that an expression is; nothing is None."""
        if node is None:
            return lambda _: None
        self.count()
        self._depth += 1
        found = self._code(node)
        self._depth -= 1
        return found

    def _all(self, found: Iterable[nodes.Node]) -> list[Code]:
        return [self.compile(each) for each in found]

    def _code(self, node: nodes.Node) -> Code:
        kind = type(node)
        if kind in BINARY:
            return self._binary(BINARY[kind], node.left, node.right)  # type: ignore[attr-defined]
        if kind in UNARY:
            apply, inner = UNARY[kind], self.compile(node.node)  # type: ignore[attr-defined]
            return lambda scope: apply(inner(scope))
        compile_kind = _KINDS.get(kind)
        if compile_kind is None:
            msg = f"the template has {kind.__name__.lower()}, which is not among what is understood"
            raise TemplateError(msg)
        return compile_kind(self, node)

    def _binary(self, apply: Callable[[Any, Any], Any], left: nodes.Node, right: nodes.Node) -> Code:
        one, other = self.compile(left), self.compile(right)
        return lambda scope: apply(scope.spend(one(scope)), scope.spend(other(scope)))

    def const(self, node: nodes.Const) -> Code:
        value = node.value
        return lambda _: value

    def text(self, node: nodes.TemplateData) -> Code:
        value = node.data
        return lambda _: value

    def name(self, node: nodes.Name) -> Code:
        name = node.name
        if name in self.assigned:
            return lambda scope: scope.names.get(name, Undefined(name=name))
        if name == "value":
            return lambda scope: scope.message.text
        if name == "value_json":
            return lambda scope: scope.message.json
        raise _unknown(name, ("value", "value_json"))

    def part(self, node: nodes.Getattr) -> Code:
        return _get(self.compile(node.node), _constant(node.attr))

    def item(self, node: nodes.Getitem) -> Code:
        if not isinstance(node.arg, nodes.Slice):
            return _get(self.compile(node.node), self.compile(node.arg))
        inner, ends = self.compile(node.node), self._all_or_none(node.arg)
        return lambda scope: scope.spend(inner(scope))[slice(*[end(scope) for end in ends])]

    def _all_or_none(self, node: nodes.Slice) -> list[Code]:
        return [self.compile(each) for each in (node.start, node.stop, node.step)]

    def both(self, node: nodes.And) -> Code:
        one, other = self.compile(node.left), self.compile(node.right)
        return lambda scope: one(scope) and other(scope)

    def either(self, node: nodes.Or) -> Code:
        one, other = self.compile(node.left), self.compile(node.right)
        return lambda scope: one(scope) or other(scope)

    def joined(self, node: nodes.Concat) -> Code:
        parts = self._all(node.nodes)
        return lambda scope: bounds.joined([bounds.shown(scope.spend(part(scope))) for part in parts])

    def condition(self, node: nodes.CondExpr) -> Code:
        test, one = self.compile(node.test), self.compile(node.expr1)
        other = self.compile(node.expr2) if node.expr2 is not None else lambda _: Undefined(name="else")
        return lambda scope: one(scope) if test(scope) else other(scope)

    def compared(self, node: nodes.Compare) -> Code:
        first = self.compile(node.expr)
        rest = [(COMPARED[each.op], self.compile(each.expr)) for each in node.ops]

        def run(scope: Scope) -> Any:
            left = scope.spend(first(scope))
            for apply, code in rest:
                right = scope.spend(code(scope))
                if not apply(left, right):
                    return False
                left = right
            return True

        return run

    def items(self, node: nodes.List | nodes.Tuple) -> Code:
        make, parts = (tuple if isinstance(node, nodes.Tuple) else list), self._all(node.items)
        return lambda scope: make(bounds.flat([part(scope) for part in parts]))

    def pairs(self, node: nodes.Dict) -> Code:
        keys, values = (
            self._all(each.key for each in node.items),
            self._all(each.value for each in node.items),
        )
        return lambda scope: dict(
            zip(
                bounds.flat([key(scope) for key in keys]),
                bounds.flat([value(scope) for value in values]),
                strict=True,
            )
        )

    def filter(self, node: nodes.Filter) -> Code:
        found = listed.FILTERS.get(node.name)
        if found is None or node.node is None:
            raise _unknown(node.name, listed.FILTERS)
        return self._call(found, [node.node], node)

    def test(self, node: nodes.Test) -> Code:
        found = listed.TESTS.get(node.name)
        if found is None:
            raise _unknown(node.name, listed.TESTS)
        return self._call(found, [node.node], node)

    def call(self, node: nodes.Call) -> Code:
        called = node.node
        if isinstance(called, nodes.Name):
            if called.name not in listed.FUNCTIONS:
                raise _unknown(called.name, listed.FUNCTIONS)
            return self._call(listed.FUNCTIONS[called.name], [], node)
        if isinstance(called, nodes.Getattr) and called.attr in listed.METHODS:
            return self._call(_method(called.attr), [called.node], node)
        name = getattr(called, "attr", "…")
        raise _unknown(name, listed.METHODS)

    def _call(self, apply: Callable[..., Any], first: list[nodes.Expr], node: Any) -> Code:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            msg = "the template has * or ** among arguments, which is not understood"
            raise TemplateError(msg)
        given = self._all([*first, *node.args])
        named = [(each.key, self.compile(each.value)) for each in node.kwargs]
        if not named and len(given) == 1:
            (one,) = given
            return lambda scope: bounds.bounded(apply(scope.spend(one(scope))))
        return lambda scope: bounds.bounded(
            apply(
                *[scope.spend(each(scope)) for each in given],
                **{name: scope.spend(each(scope)) for name, each in named},
            )
        )


_KINDS: dict[type[nodes.Node], Callable[[Expressions, Any], Code]] = {
    nodes.Const: Expressions.const, nodes.TemplateData: Expressions.text, nodes.Name: Expressions.name,
    nodes.Getattr: Expressions.part, nodes.Getitem: Expressions.item, nodes.And: Expressions.both,
    nodes.Or: Expressions.either, nodes.Concat: Expressions.joined, nodes.CondExpr: Expressions.condition,
    nodes.Compare: Expressions.compared, nodes.List: Expressions.items, nodes.Tuple: Expressions.items,
    nodes.Dict: Expressions.pairs, nodes.Filter: Expressions.filter, nodes.Test: Expressions.test,
    nodes.Call: Expressions.call,
}  # fmt: skip


def _constant(value: Any) -> Code:
    return lambda _: value


def _get(inner: Code, key: Code) -> Code:
    return lambda scope: item_of(inner(scope), key(scope))


def item_of(found: Any, key: Any) -> Any:
    """Return a part of an object, list or text; undefined where there is none."""
    if type(found) is dict:
        return found[key] if key in found else Undefined(name=str(key))
    if type(key) is int and type(found) in (list, tuple, str) and -len(found) <= key < len(found):
        return found[key]
    if isinstance(found, Undefined):
        said(found)
    return Undefined(name=str(key))


def _method(name: str) -> Callable[..., Any]:
    kind, apply = listed.METHODS[name]

    def run(value: Any, *given: Any) -> Any:
        if not isinstance(said(value), kind):
            msg = f"{type(value).__name__} has no {name}()"
            raise TypeError(msg)
        return apply(value, *given)

    return run


def _unknown(name: str, there: Iterable[str]) -> TemplateError:
    asks = listed.ELSEWHERE.get(name)
    if asks is not None:
        return TemplateError(f"the template's {name} asks {asks}; it may ask value and value_json alone")
    return TemplateError(f"the template's {name} is not understood; there are {', '.join(sorted(there))}")
