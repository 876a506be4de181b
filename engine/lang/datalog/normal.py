"""Clauses become simple rules: one head, one conjunction, aggregates by themselves.

    a, b :- (c ; d), !(e, f).     →   a :- c, !e.   a :- c, !f.   a :- d, …     and the same for b
    p(count : { q(x) }) :- r(x)   →   p(v) :- r(x), v = count : { q(x) }

A variable of an aggregate's body is the aggregate's own if its target has it, or nothing around it.
They get names of their own here, so that afterwards equal names are one variable.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, product

from engine.lang.datalog import tree as t
from engine.model.errors import QueryError, Span

MOST_ALTERNATIVES = 200
OPPOSITE = {
    "=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "match": "not match", "not match": "match", "contains": "not contains", "not contains": "contains",
}  # fmt: skip
Simple = tuple["SimpleLiteral", ...]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """``variable = function target : { literals }``."""

    variable: t.Variable
    function: str
    target: t.Term | None
    literals: Simple
    span: Span = field(default=t.NOWHERE, compare=False)


SimpleLiteral = t.Atom | t.Negation | t.Comparison | Aggregated


@dataclass(frozen=True, slots=True)
class Rule:
    """``head :- body``."""

    head: t.Atom
    body: Simple
    span: Span = field(default=t.NOWHERE, compare=False)

    def where(self, span: Span) -> str:
        """Return « in the rule for path, line 3», as errors end."""
        kind = "fact" if not self.body else "rule"
        return f" in the {kind} for {self.head.relation}, line {span.line}"


def rules_of(clause: t.Clause) -> Iterator[Rule]:
    """Yield the simple rules that a clause stands for."""
    for literals in alternatives(clause.body, clause.span):
        for head in clause.heads:
            yield Lifter(clause.span).rule(head, literals)


def alternatives(literal: t.Literal, span: Span, negated: bool = False) -> list[tuple[t.Literal, ...]]:
    """Return the conjunctions of which one must hold."""
    match literal:
        case t.Truth(holds):
            return [()] if holds != negated else []
        case t.Negation(inner):
            return alternatives(inner, span, not negated)
        case t.Atom():
            return [(t.Negation(literal, literal.span) if negated else literal,)]
        case t.Comparison():
            return [(replace(literal, operator=OPPOSITE[literal.operator]) if negated else literal,)]
    choices = [
        [alternatives(each, span, negated) for each in conjunction] for conjunction in literal.alternatives
    ]
    if not negated:
        return limited((all_of(each) for each in choices), span)
    return all_of([limited(each, span) for each in choices])


def all_of(parts: list[list[tuple[t.Literal, ...]]]) -> list[tuple[t.Literal, ...]]:
    total = 1
    for part in parts:
        total *= len(part)
    if total > MOST_ALTERNATIVES:
        return [()] * (MOST_ALTERNATIVES + 1)
    return [tuple(literal for each in choice for literal in each) for choice in product(*parts)]


def limited(choices: Iterable[list[tuple[t.Literal, ...]]], span: Span) -> list[tuple[t.Literal, ...]]:
    found = [each for choice in choices for each in choice]
    if len(found) > MOST_ALTERNATIVES:
        message = (
            f"more than {MOST_ALTERNATIVES} alternatives in the rule in line {span.line}; "
            "define a relation by one of its disjunctions"
        )
        raise QueryError(message, span)
    return found


class Lifter:
    """Takes the aggregates out of the terms of one rule."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self._numbers = count(1)

    def rule(self, head: t.Atom, literals: Iterable[t.Literal]) -> Rule:
        lifted: list[SimpleLiteral] = []
        outside = frozenset(v.name for each in (head, *literals) for v in t.variables_of(each))
        body = [self._literal(each, outside, lifted) for each in literals]
        args = tuple(self._term(arg, outside, lifted) for arg in head.args)
        return Rule(replace(head, args=args), (*body, *lifted), self._span)

    def _literal(
        self, literal: t.Literal, outside: frozenset[str], lifted: list[SimpleLiteral]
    ) -> SimpleLiteral:
        match literal:
            case t.Comparison("=", t.Variable() as variable, t.Aggregate() as aggregate):
                return self._aggregate(variable, aggregate, outside)
            case t.Comparison("=", t.Aggregate() as aggregate, t.Variable() as variable):
                return self._aggregate(variable, aggregate, outside)
            case t.Comparison(_, left, right):
                one, other = (self._term(side, outside, lifted) for side in (left, right))
                return replace(literal, left=one, right=other)
            case t.Negation(t.Atom() as atom):
                inner = self._literal(atom, outside, lifted)
                assert isinstance(inner, t.Atom)
                return replace(literal, inner=inner)
        assert isinstance(literal, t.Atom)
        return replace(literal, args=tuple(self._term(arg, outside, lifted) for arg in literal.args))

    def _term(self, term: t.Term, outside: frozenset[str], lifted: list[SimpleLiteral]) -> t.Term:
        match term:
            case t.Aggregate():
                variable = t.Variable(f"{term.function}#{next(self._numbers)}", term.span)
                lifted.append(self._aggregate(variable, term, outside))
                return variable
            case t.Functor(_, args) | t.Record(args):
                return replace(term, args=tuple(self._term(arg, outside, lifted) for arg in args))
            case t.Cast(inner):
                return replace(term, term=self._term(inner, outside, lifted))
        return term

    def _aggregate(self, variable: t.Variable, found: t.Aggregate, outside: frozenset[str]) -> Aggregated:
        choices = alternatives(found.body, found.span)
        if len(choices) != 1:
            remedy = "define a relation by it, and aggregate that"
            message = f"a disjunction inside an aggregate, line {found.span.line}; {remedy}"
            raise QueryError(message, found.span)
        target = () if found.target is None else (found.target,)
        self._check(found, len(target))
        inside = {v.name for each in choices[0] for v in t.variables_of(each)}
        own = {v.name for each in target for v in t.variables_in(each)} & inside
        fresh = {name: f"{name}#{next(self._numbers)}" for name in sorted(own | (inside - outside))}
        literals = [renamed_literal(each, fresh) for each in choices[0]]
        around = (outside - own) | set(fresh.values())
        lifted: list[SimpleLiteral] = []
        body = [self._literal(each, around, lifted) for each in literals]
        asked = [self._term(renamed(each, fresh), around, lifted) for each in target]
        return Aggregated(variable, found.function, asked[0] if asked else None, (*body, *lifted), found.span)

    def _check(self, found: t.Aggregate, targets: int) -> None:
        if targets != (found.function != "count"):
            form = "count : { … }" if found.function == "count" else f"{found.function} x : {{ … }}"
            message = f"{found.function} is written {form}, line {found.span.line}"
            raise QueryError(message, found.span)


def renamed_literal(literal: t.Literal, names: Mapping[str, str]) -> t.Literal:
    match literal:
        case t.Atom(_, args):
            return replace(literal, args=tuple(renamed(arg, names) for arg in args))
        case t.Negation(inner):
            return replace(literal, inner=renamed_literal(inner, names))
        case t.Comparison(_, left, right):
            return replace(literal, left=renamed(left, names), right=renamed(right, names))
        case t.Body(choices):
            return t.Body(tuple(tuple(renamed_literal(each, names) for each in choice) for choice in choices))
    return literal


def renamed(term: t.Term, names: Mapping[str, str]) -> t.Term:
    """Return a term with other names; those of an aggregate in it that are its own are none of ours."""
    match term:
        case t.Variable(name):
            return replace(term, name=names.get(name, name))
        case t.Functor(_, args) | t.Record(args):
            return replace(term, args=tuple(renamed(arg, names) for arg in args))
        case t.Cast(inner):
            return replace(term, term=renamed(inner, names))
        case t.Aggregate(_, target, body):
            inside = {v.name for each in body.alternatives for part in each for v in t.variables_of(part)}
            own = set() if target is None else {v.name for v in t.variables_in(target)} & inside
            others = {name: fresh for name, fresh in names.items() if name not in own}
            inner_body = renamed_literal(body, others)
            assert isinstance(inner_body, t.Body)
            return replace(term, body=inner_body, target=None if target is None else renamed(target, others))
    return term
