"""Scalar expressions of the parse tree become bound expressions, with types.

What is not listed here is an error: the list is also the sandbox.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from engine.lang.streamsql.grammar.nodes import GivenNode
from engine.lang.streamsql.grammar.remedies import of_types
from engine.lang.streamsql.scalars.calls import FORMS, types_of
from engine.lang.streamsql.scalars.literals import (
    UNTYPED_NULL,
    check_expression,
    check_moment,
    converted,
    number,
)
from engine.lang.streamsql.spans import shown, span_of, where
from engine.lang.streamsql.statements.parameters import Givens
from engine.model.errors import QueryError
from engine.model.values import SCALARS, Type
from engine.plan.expressions import Call, Expr, Literal
from engine.plan.functions import FUNCTIONS

Resolve = Callable[[exp.Expr], Expr | None]

BINARY: dict[type[exp.Expr], str] = {
    exp.And: "and", exp.Or: "or", exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%",
    exp.Pow: "power", exp.Like: "like", exp.ILike: "ilike", exp.RegexpLike: "~", exp.ArrayContainsAll: "@>",
    exp.ArrayOverlaps: "&&",
}  # fmt: skip
KNOWN_FORMS = "comparisons, arithmetic, AND, OR, NOT, IN (values), BETWEEN, LIKE, CASE, CAST and functions"
TYPES = {
    "BIGINT": Type.BIGINT, "INT": Type.BIGINT, "SMALLINT": Type.BIGINT,
    "DOUBLE": Type.DOUBLE, "FLOAT": Type.DOUBLE, "DECIMAL": Type.DOUBLE,
    "BOOLEAN": Type.BOOLEAN, "TEXT": Type.TEXT, "VARCHAR": Type.TEXT,
    "TIMESTAMP": Type.TIMESTAMP, "TIMESTAMPTZ": Type.TIMESTAMP,
}  # fmt: skip

DEEPEST = 100


class ScalarBinder:
    """Binds the expressions of one clause; ``resolve`` knows its names (and may decline a node)."""

    def __init__(self, resolve: Resolve, clause: str) -> None:
        self._resolve = resolve
        self.clause = clause
        self._depth = 0
        self._givens = Givens(clause)
        self._forms: dict[type[exp.Expr], Callable[..., Expr]] = {
            exp.Literal: self._literal, exp.Boolean: self._literal, exp.Null: self._literal,
            exp.Paren: self._paren, exp.Neg: self._negation, exp.Not: self._not, exp.Is: self._is,
            exp.In: self._any_of, exp.Between: self._between, exp.Case: self._case, exp.Cast: self._cast,
            exp.And: self._chain, exp.Or: self._chain, exp.Like: self._like, exp.ILike: self._like,
            exp.RegexpLike: self._expression,
            exp.EQ: self._equal, exp.NEQ: self._equal,
            exp.NullSafeEQ: self._distinct, exp.NullSafeNEQ: self._distinct, GivenNode: self._givens.literal,
        }  # fmt: skip

    def bind(self, node: exp.Expr) -> Expr:
        """Return the bound expression."""
        resolved = self._resolve(node)
        if resolved is not None:
            return resolved
        if self._depth >= DEEPEST:
            message = f"nested too deeply{where(node, self.clause)}; put the inner parts into views"
            raise QueryError(message, span_of(node))
        self._depth += 1
        own, form = self._forms.get(type(node)), FORMS.get(type(node), binary)
        found = own(node) if own is not None else form(self, node)
        self._depth -= 1
        return found

    def _paren(self, node: exp.Expr) -> Expr:
        return self.bind(node.this)

    def _not(self, node: exp.Expr) -> Expr:
        return self.call("not", [self.condition(node.this)], node)

    def _chain(self, node: exp.Expr) -> Expr:
        return self._balanced(BINARY[type(node)], [self.condition(part) for part in node.flatten()], node)

    def _balanced(self, name: str, parts: list[Expr], node: exp.Expr) -> Expr:
        """Put a chain together as a low tree: a thousand links are not a thousand levels."""
        while len(parts) > 1:
            pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
            parts = [self.call(name, pair, node) if len(pair) == 2 else pair[0] for pair in pairs]
        return parts[0]

    def _like(self, node: exp.Expr) -> Expr:
        found = binary(self, node)
        return self.call("not", [found], node) if node.args.get("negate") else found

    def _expression(self, node: exp.Expr) -> Expr:
        check_expression(node.expression, self.clause)
        return binary(self, node)

    def condition(self, node: exp.Expr) -> Expr:
        """Return a bound expression that is true, false or NULL."""
        bound = self._givens.condition(self.bind(node))
        if bound == UNTYPED_NULL:
            return Literal(None, Type.BOOLEAN)
        if bound.type is not Type.BOOLEAN:
            message = f"expected a condition{where(node, self.clause)}, found a {bound.type}"
            raise QueryError(message, span_of(node))
        return bound

    def call(self, name: str, args: Sequence[Expr], node: exp.Expr) -> Expr:
        """Return the call, its arguments brought to types that fit."""
        function = FUNCTIONS[name]
        args = self._givens.fitted(args, lambda tried: function.signature.fit(types_of(tried)) is not None)
        given = types_of(args)
        fit = function.signature.fit(given)
        if fit is None:
            told = [*given[1::2], given[-1]] if name == "case" else given
            found = ", ".join(kind or "NULL" for kind in told) or "nothing"
            called = "-" if name == "negate" else name
            remedy = of_types(given, node)
            message = f"{called} takes {function.expects}, found {found}{where(node, self.clause)}{remedy}"
            raise QueryError(message, span_of(node))
        fitted = [converted(arg, kind) or arg for arg, kind in zip(args, fit.types, strict=True)]
        return Call(name, tuple(fitted), fit.result)

    def unknown(self, node: exp.Expr) -> str:
        """Say that a node is none of ours."""
        place = where(node, self.clause)
        if isinstance(node, exp.AggFunc):
            return f"an aggregate cannot stand{place}; it can in SELECT and HAVING"
        if node.find(exp.Select):
            return f"a query cannot stand{place}; it can in FROM, with a name: FROM (SELECT …) name"
        return f"{shown(node)} is not part of StreamSQL{place}; it knows {KNOWN_FORMS}"

    def _literal(self, node: exp.Expr) -> Literal:
        if isinstance(node, exp.Boolean):
            return Literal(bool(node.this), Type.BOOLEAN)
        if isinstance(node, exp.Null):
            return UNTYPED_NULL
        if node.is_string:
            return Literal(node.name, Type.TEXT)
        return number(node.name, node, self.clause)

    def _negation(self, node: exp.Neg) -> Expr:
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return number(f"-{node.this.name}", node, self.clause)
        return self.call("negate", [self.bind(node.this)], node)

    def _is(self, node: exp.Is) -> Expr:
        inner = self.bind(node.this)
        if isinstance(node.expression, exp.Null):
            test: Expr = Call("is_null", (inner,), Type.BOOLEAN)
        elif isinstance(node.expression, exp.Boolean):
            equal = self.call("=", [inner, self.bind(node.expression)], node)
            test = self.call("coalesce", [equal, Literal(False, Type.BOOLEAN)], node)
        else:
            raise QueryError(self.unknown(node), span_of(node))
        return self.call("not", [test], node) if node.args.get("negate") else test

    def _distinct(self, node: exp.Expr) -> Expr:
        """IS [NOT] DISTINCT FROM: an equality that knows NULL."""
        name = "=" if isinstance(node, exp.NullSafeEQ) else "<>"
        compared = self.call(name, [self.bind(node.this), self.bind(node.expression)], node)
        assert isinstance(compared, Call)
        return self.call(name, [self.call("boxed", [arg], node) for arg in compared.args], node)

    def _any_of(self, node: exp.In) -> Expr:
        if not node.expressions:
            raise QueryError(self.unknown(node), span_of(node))
        needle = self._row(node.this)
        tests = [self._same_row(needle, self._row(choice), node) for choice in node.expressions]
        return self._balanced("or", tests, node)

    def _row(self, node: exp.Expr) -> list[Expr]:
        """Return the parts of a row, (a, b); of a value, that."""
        return (
            [self.bind(part) for part in node.expressions]
            if isinstance(node, exp.Tuple)
            else [self.bind(node)]
        )

    def _same_row(self, left: list[Expr], right: list[Expr], node: exp.Expr) -> Expr:
        if len(left) != len(right):
            counts = f"found {len(left)} and {len(right)}"
            message = f"rows that are compared have as many parts{where(node, self.clause)}, {counts}"
            raise QueryError(message, span_of(node))
        return self._balanced(
            "and", [self.call("=", pair, node) for pair in zip(left, right, strict=True)], node
        )

    def _equal(self, node: exp.Expr) -> Expr:
        """Compare rows part by part, and values as they are."""
        if not isinstance(node.this, exp.Tuple):
            return FORMS[type(node)](self, node)
        same = self._same_row(self._row(node.this), self._row(node.expression), node)
        return same if isinstance(node, exp.EQ) else self.call("not", [same], node)

    def _between(self, node: exp.Between) -> Expr:
        value = self.bind(node.this)
        low = self.call(">=", [value, self.bind(node.args["low"])], node)
        return self.call("and", [low, self.call("<=", [value, self.bind(node.args["high"])], node)], node)

    def _case(self, node: exp.Case) -> Expr:
        subject = self.bind(node.this) if node.this else None
        args: list[Expr] = []
        for branch in node.args["ifs"]:
            if subject is None:
                args.append(self.condition(branch.this))
            else:
                args.append(self.call("=", [subject, self.bind(branch.this)], node))
            args.append(self.bind(branch.args["true"]))
        default = node.args.get("default")
        args.append(self.bind(default) if default else Literal(None, args[1].type))
        return self.call("case", args, node)

    def _cast(self, node: exp.Cast) -> Expr:
        target = self._type(node.to, node)
        if isinstance(node.this, exp.Array) and not node.this.expressions and target.element is not None:
            return Literal((), target)
        inner = self.bind(node.this)
        found = converted(inner, target)
        if found is None:
            message = f"a {inner.type} cannot become a {target}{where(node, self.clause)}"
            raise QueryError(message, span_of(node))
        check_moment(inner, found, node, self.clause)
        return found

    def _type(self, node: exp.Expr, cast: exp.Expr) -> Type:
        if node.this is exp.DType.ARRAY and node.expressions:
            return self._type(node.expressions[0], cast).listed
        target = TYPES.get(node.this.name) if isinstance(node.this, exp.DType) else None
        if target is None:
            known = ", ".join(SCALARS)
            message = f"unknown type {node.sql()}{where(cast, self.clause)}; there are {known}"
            raise QueryError(message, span_of(cast))
        return target


def binary(binder: "ScalarBinder", node: exp.Expr) -> Expr:
    """Bind an operator between two."""
    name = BINARY.get(type(node))
    if name is None:
        raise QueryError(binder.unknown(node), span_of(node))
    return binder.call(name, [binder.bind(node.this), binder.bind(node.expression)], node)
