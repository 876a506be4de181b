"""Scalar expressions of the parse tree become bound expressions, with types.

What is not listed here is an error: the list is also the sandbox.
"""

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from engine.lang.streamsql.nodes import GivenNode
from engine.lang.streamsql.parameters import Givens
from engine.lang.streamsql.spans import shown, span_of, where
from engine.model.errors import QueryError, nearest
from engine.model.values import SCALARS, Type, Value
from engine.plan.expressions import Call, Expr, Literal
from engine.plan.functions import FUNCTIONS
from engine.plan.meanings import BIGINT_BOUND, bounded

Resolve = Callable[[exp.Expr], Expr | None]

BINARY: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.And: "and", exp.Or: "or", exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%",
    exp.DPipe: "||", exp.Like: "like",
}  # fmt: skip
NAMED: dict[type[exp.Expr], str] = {
    exp.Abs: "abs", exp.Round: "round", exp.Floor: "floor", exp.Pow: "power", exp.Upper: "upper",
    exp.Lower: "lower", exp.Length: "length", exp.Hour: "hour", exp.Coalesce: "coalesce",
    exp.Least: "least", exp.Greatest: "greatest",
}  # fmt: skip
KNOWN_FORMS = "comparisons, arithmetic, AND, OR, NOT, IN (values), BETWEEN, LIKE, CASE, CAST and functions"
TAKES_DOUBLES = frozenset({"round", "floor", "power", "/"})
TYPES = {
    "BIGINT": Type.BIGINT, "INT": Type.BIGINT, "SMALLINT": Type.BIGINT,
    "DOUBLE": Type.DOUBLE, "FLOAT": Type.DOUBLE, "DECIMAL": Type.DOUBLE,
    "BOOLEAN": Type.BOOLEAN, "TEXT": Type.TEXT, "VARCHAR": Type.TEXT,
    "TIMESTAMP": Type.TIMESTAMP, "TIMESTAMPTZ": Type.TIMESTAMP,
}  # fmt: skip

DEEPEST = 100
NUMBER = re.compile("[0-9]{1,19}")
LARGEST = "numbers go up to 1.7976931348623157e308"

# The bare word NULL, which takes the type of what it meets.
UNTYPED_NULL = Literal(None, Type.TEXT)


class ScalarBinder:
    """Binds the expressions of one clause; ``resolve`` knows its names (and may decline a node)."""

    def __init__(self, resolve: Resolve, clause: str) -> None:
        self._resolve = resolve
        self._clause = clause
        self._depth = 0
        self._givens = Givens(clause)
        self._forms: dict[type[exp.Expr], Callable[..., Expr]] = {
            exp.Literal: self._literal, exp.Boolean: self._literal, exp.Null: self._literal,
            exp.Paren: self._paren, exp.Neg: self._negation, exp.Not: self._not, exp.Is: self._is,
            exp.In: self._any_of, exp.Between: self._between, exp.Case: self._case, exp.Cast: self._cast,
            exp.And: self._chain, exp.Or: self._chain, exp.Like: self._like,
            exp.NullSafeEQ: self._distinct, exp.NullSafeNEQ: self._distinct,
            GivenNode: self._givens.literal,
        }  # fmt: skip

    def bind(self, node: exp.Expr) -> Expr:
        """Return the bound expression."""
        resolved = self._resolve(node)
        if resolved is not None:
            return resolved
        if self._depth >= DEEPEST:
            message = f"nested too deeply{where(node, self._clause)}; put the inner parts into views"
            raise QueryError(message, span_of(node))
        self._depth += 1
        found = self._forms.get(type(node), self._function)(node)
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
        found = self._function(node)
        return self.call("not", [found], node) if node.args.get("negate") else found

    def condition(self, node: exp.Expr) -> Expr:
        """Return a bound expression that is true, false or NULL."""
        bound = self._givens.condition(self.bind(node))
        if bound == UNTYPED_NULL:
            return Literal(None, Type.BOOLEAN)
        if bound.type is not Type.BOOLEAN:
            message = f"expected a condition{where(node, self._clause)}, found a {bound.type}"
            raise QueryError(message, span_of(node))
        return bound

    def call(self, name: str, args: Sequence[Expr], node: exp.Expr) -> Expr:
        """Return the call, its arguments brought to types that fit."""
        args = self._givens.fitted(args, lambda tried: signed(name, unified(name, list(tried))) is not None)
        fitted = unified(name, list(args))
        result = signed(name, fitted)
        if result is None:
            function = FUNCTIONS[name]
            found = ", ".join(arg.type for arg in values_of(name, args))
            called = "-" if name == "negate" else name
            message = f"{called} takes {function.expects}, found {found}{where(node, self._clause)}"
            raise QueryError(message, span_of(node))
        return Call(name, tuple(fitted), result)

    def _function(self, node: exp.Expr) -> Expr:
        name = BINARY.get(type(node)) or NAMED.get(type(node))
        if name is None:
            raise QueryError(self._unknown(node), span_of(node))
        arguments = [node.this, node.args.get("expression"), *node.expressions, node.args.get("decimals")]
        return self.call(name, [self.bind(arg) for arg in arguments if isinstance(arg, exp.Expr)], node)

    def _unknown(self, node: exp.Expr) -> str:
        place = where(node, self._clause)
        if isinstance(node, exp.Anonymous):
            names = sorted(NAMED.values())
            known = ", ".join(names) + nearest(node.name, names)
            return f"unknown function {node.name}{place}; there are {known}"
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
        return self._number(node.name, node)

    def _number(self, text: str, node: exp.Expr) -> Literal:
        is_whole = NUMBER.fullmatch(text.removeprefix("-"))
        if is_whole and -BIGINT_BOUND <= int(text) < BIGINT_BOUND:
            return Literal(int(text), Type.BIGINT)
        try:
            number = bounded(float(text))
        except ValueError:
            message = f"{text} is no number{where(node, self._clause)}; 12, 1.5 and 1.5e3 are"
            raise QueryError(message, span_of(node)) from None
        if number is None:
            message = f"{text} is too large{where(node, self._clause)}; {LARGEST}"
            raise QueryError(message, span_of(node))
        return Literal(number, Type.DOUBLE)

    def _negation(self, node: exp.Neg) -> Expr:
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return self._number(f"-{node.this.name}", node)
        return self.call("negate", [self.bind(node.this)], node)

    def _is(self, node: exp.Is) -> Expr:
        inner = self.bind(node.this)
        if isinstance(node.expression, exp.Null):
            test: Expr = Call("is_null", (inner,), Type.BOOLEAN)
        elif isinstance(node.expression, exp.Boolean):
            equal = self.call("=", [inner, self.bind(node.expression)], node)
            test = self.call("coalesce", [equal, Literal(False, Type.BOOLEAN)], node)
        else:
            raise QueryError(self._unknown(node), span_of(node))
        return self.call("not", [test], node) if node.args.get("negate") else test

    def _distinct(self, node: exp.Expr) -> Expr:
        """IS [NOT] DISTINCT FROM: an equality that knows NULL."""
        name = "=" if isinstance(node, exp.NullSafeEQ) else "<>"
        compared = self.call(name, [self.bind(node.this), self.bind(node.expression)], node)
        assert isinstance(compared, Call)
        return self.call(name, [self.call("boxed", [arg], node) for arg in compared.args], node)

    def _any_of(self, node: exp.In) -> Expr:
        if not node.expressions:
            raise QueryError(self._unknown(node), span_of(node))
        needle = self.bind(node.this)
        tests = [self.call("=", [needle, self.bind(choice)], node) for choice in node.expressions]
        return self._balanced("or", tests, node)

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
        inner, target = self.bind(node.this), TYPES.get(node.to.this.name)
        if target is None:
            known = ", ".join(SCALARS)
            message = f"unknown type {node.to.sql()}{where(node, self._clause)}; there are {known}"
            raise QueryError(message, span_of(node))
        return converted(inner, target) or self._no_conversion(inner, target, node)

    def _no_conversion(self, inner: Expr, target: Type, node: exp.Expr) -> Expr:
        message = f"a {inner.type} cannot become a {target}{where(node, self._clause)}"
        raise QueryError(message, span_of(node))


def signed(name: str, args: Sequence[Expr]) -> Type | None:
    """Return the type of a call's result, None where the arguments are not for it."""
    return FUNCTIONS[name].signature(tuple(arg.type for arg in args))


def converted(expr: Expr, target: Type) -> Expr | None:
    """Return the expression as another type, or None where there is no conversion."""
    if expr.type is target:
        return expr
    if expr == UNTYPED_NULL:
        return Literal(None, target)
    function = FUNCTIONS.get(f"{target}_of_{expr.type}")
    if function is None:
        return None
    if isinstance(expr, Literal):
        value: Value = function.meaning(expr.value)
        return Literal(value, target)
    return Call(function.name, (expr,), target)


def values_of(name: str, args: Sequence[Expr]) -> Sequence[Expr]:
    """Return the arguments that share a type: of CASE all but the conditions."""
    return [*args[1::2], args[-1]] if name == "case" else args


def unified(name: str, args: list[Expr]) -> list[Expr]:
    """Bring numbers that meet to DOUBLE where one is, and NULL to its neighbours' type."""
    types = {arg.type for arg in values_of(name, args) if arg != UNTYPED_NULL}
    wants_double = name in TAKES_DOUBLES and types <= {Type.BIGINT, Type.DOUBLE}
    if wants_double or types == {Type.BIGINT, Type.DOUBLE}:
        target = Type.DOUBLE
    elif types == {Type.BIGINT, Type.TIMESTAMP}:
        target = Type.TIMESTAMP
    elif len(types) == 1:
        target = next(iter(types))
    else:
        return args
    if name == "round" and len(args) == 2:
        return [converted(args[0], target) or args[0], args[1]]
    skip = {id(arg) for arg in args[:-1:2]} if name == "case" else set()
    return [arg if id(arg) in skip else converted(arg, target) or arg for arg in args]
