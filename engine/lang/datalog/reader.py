"""What the grammar finds becomes the parts of a program, from the inside out.

Operators become functors of the same name, -1 a constant, min(x, y) a functor and min x : { … } an
aggregate. What Soufflé allows and we know not to matter is passed over with a note.
"""

from typing import Any

from lark import Token, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from engine.lang.datalog import tree as t
from engine.lang.datalog.literals import number_of, text_of
from engine.lang.datalog.operators import Operators, Prefixed
from engine.lang.datalog.parts import Program
from engine.model.errors import Span


def span_of(meta: Meta) -> Span:
    return t.NOWHERE if meta.empty else Span(meta.line, meta.start_pos, meta.end_pos)


def span_at(token: Token) -> Span:
    assert token.line is not None
    assert token.start_pos is not None
    assert token.end_pos is not None
    return Span(token.line, token.start_pos, token.end_pos)


@v_args(meta=True)
class Reader(Transformer_NonRecursive[Token, Program]):
    """One method a rule of the grammar."""

    def text(self, meta: Meta, found: list[Token]) -> t.Constant:
        return t.Constant(text_of(found[0], span_of(meta)), "symbol", span_of(meta))

    def real(self, meta: Meta, found: list[Token]) -> t.Constant:
        return t.Constant(float(found[0]), "float", span_of(meta))

    def unsigned(self, meta: Meta, found: list[Token]) -> t.Constant:
        return t.Constant(number_of(found[0][:-1], span_of(meta)), "unsigned", span_of(meta))

    def number(self, meta: Meta, found: list[Token]) -> t.Constant:
        return t.Constant(number_of(found[0], span_of(meta)), "", span_of(meta))

    def wildcard(self, meta: Meta, found: list[Token]) -> t.Wildcard:
        return t.Wildcard(span_of(meta))

    def nil(self, meta: Meta, found: list[Token]) -> t.Record:
        return t.Record((), span=span_of(meta), is_nil=True)

    def variable(self, meta: Meta, found: list[Token]) -> t.Variable:
        return t.Variable(str(found[0]), span_of(meta))

    def record(self, meta: Meta, found: list[Any]) -> t.Record:
        return t.Record(tuple(found[0] or ()), span=span_of(meta))

    def branch_value(self, meta: Meta, found: list[Any]) -> t.Record:
        return t.Record(tuple(found[1] or ()), str(found[0]), span_of(meta))

    def cast(self, meta: Meta, found: list[Any]) -> t.Cast:
        return t.Cast(found[1], str(found[2]), span_of(meta))

    def extreme(self, meta: Meta, found: list[Any]) -> t.Functor:
        return t.Functor(str(found[0]), (found[1], *found[2]), span_of(meta))

    def aggregate(self, meta: Meta, found: list[Any]) -> t.Aggregate:
        function, target, inner = found
        body = inner if isinstance(inner, t.Body) else t.Body(((inner,),))
        return t.Aggregate(str(function), target, body, span_of(meta))

    def prefixed(self, meta: Meta, found: list[Any]) -> Prefixed:
        return Prefixed(tuple(found[:-1]), found[-1])

    def arg(self, meta: Meta, found: list[Any]) -> t.Term:
        return found[0] if len(found) == 1 and not isinstance(found[0], Prefixed) else Operators(found).term()

    def call(self, meta: Meta, found: list[Any]) -> t.Functor:
        return t.Functor(str(found[0]), tuple(found[1] or ()), span_of(meta))

    def user_call(self, meta: Meta, found: list[Any]) -> t.Functor:
        return t.Functor(f"@{found[0]}", tuple(found[1] or ()), span_of(meta))

    def args(self, meta: Meta, found: list[t.Term]) -> list[t.Term]:
        return found

    def atom(self, meta: Meta, found: list[Any]) -> t.Atom:
        return t.Atom(str(found[0]), tuple(found[1] or ()), span_of(meta))

    def comparison(self, meta: Meta, found: list[Any]) -> t.Comparison:
        left, relation, right = found
        return t.Comparison(str(relation), left, right, span_of(meta))

    def text_test(self, meta: Meta, found: list[Any]) -> t.Comparison:
        return t.Comparison(str(found[0]), found[1], found[2], span_of(meta))

    def truth(self, meta: Meta, found: list[Token]) -> t.Truth:
        return t.Truth(found[0] == "true")

    def negation(self, meta: Meta, found: list[Any]) -> t.Negation:
        return t.Negation(found[0], span_of(meta))

    def conjunction(self, meta: Meta, found: list[Any]) -> tuple[t.Literal, ...]:
        return tuple(found)

    def body(self, meta: Meta, found: list[Any]) -> t.Body:
        return t.Body(tuple(found))

    def rule(self, meta: Meta, found: list[Any]) -> t.Clause:
        *heads, body, _ = found
        return t.Clause(tuple(heads), body or t.Body(((),)), span_of(meta))

    def query(self, meta: Meta, found: list[t.Body]) -> t.Query:
        return t.Query(found[0], span_of(meta))

    def plan(self, meta: Meta, found: list[Any]) -> str:
        return "plan"
