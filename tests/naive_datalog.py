"""What a Datalog program's rows are, by definition: rules applied to environments until nothing changes.

It reads the parser's tree and shares nothing else with the engine: no kinds, no strata of ours, no plans.
Numbers are whole.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from statistics import fmean as mean
from typing import Any

from engine.lang.datalog import tree as t
from engine.lang.datalog.parts import Program

Relations = dict[str, set[tuple[Any, ...]]]
Environment = dict[str, Any]


class NoValue(Exception):
    """A functor has no result."""


class Open(Exception):
    """A variable is not bound yet."""


def whole(number: int) -> int:
    if not -(2**63) <= number < 2**63:
        raise NoValue
    return number


def quotient(left: int, right: int) -> int:
    if right == 0:
        raise NoValue
    return int(left / right)


def remainder(left: int, right: int) -> int:
    return left - right * quotient(left, right)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: whole(a + b), "-": lambda a, b: whole(a - b), "*": lambda a, b: whole(a * b),
    "/": quotient, "%": remainder, "negate": lambda a: whole(-a), "min": min, "max": max,
    "cat": lambda *texts: "".join(texts), "strlen": len, "to_string": str, "band": operator.and_,
    "bor": operator.or_, "substr": lambda s, i, n: s[i : i + n] if 0 <= i <= len(s) and n >= 0 else "",
}  # fmt: skip
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "contains": lambda a, b: a in b,
    "match": lambda pattern, text: re.fullmatch(pattern, text) is not None,
}  # fmt: skip


def aggregates(term: t.Term) -> bool:
    return isinstance(term, t.Aggregate) or any(map(aggregates, t.parts_of(term)))


class Evaluation:
    """The relations of a program as far as they are known."""

    def __init__(self, program: Program, facts: Mapping[str, set[tuple[Any, ...]]]) -> None:
        self.known: Relations = {each.name: set(facts.get(each.name, ())) for each in program.declarations}
        for level in levels(program):
            self.finish([c for c in program.clauses if any(h.relation in level for h in c.heads)], level)

    def finish(self, clauses: list[t.Clause], level: set[str]) -> None:
        before = -1
        while before != sum(map(len, self.known.values())):
            before = sum(map(len, self.known.values()))
            for clause in clauses:
                for head, row in [found for found in self.derived(clause) if found[0] in level]:
                    self.known[head].add(row)

    def derived(self, clause: t.Clause) -> list[tuple[str, tuple[Any, ...]]]:
        found = []
        for environment in list(self.solve([clause.body], {})):
            for head in clause.heads:
                try:
                    found.append((head.relation, tuple(self.value(arg, environment) for arg in head.args)))
                except NoValue:
                    continue
        return found

    def solve(self, literals: list[t.Literal], bound: Environment) -> Iterator[Environment]:
        """Yield an environment for each way in which all literals hold."""
        if not literals:
            yield bound
            return
        for rank in (0, 1, 2, 3):
            for i, literal in enumerate(literals):
                if self.rank(literal) == rank:
                    try:
                        found = list(self.holds(literal, bound))
                    except Open:
                        continue
                    for each in found:
                        yield from self.solve(literals[:i] + literals[i + 1 :], each)
                    return
        raise Open

    def rank(self, literal: t.Literal) -> int:
        """Atoms first, then what is computed, then aggregates, then what is negated."""
        match literal:
            case t.Atom() | t.Body() | t.Truth():
                return 0
            case t.Comparison(_, left, right):
                return 2 if aggregates(left) or aggregates(right) else 1
        return 3

    def holds(self, literal: t.Literal, bound: Environment) -> Iterator[Environment]:
        match literal:
            case t.Truth(true):
                yield from [bound] if true else []
            case t.Body(alternatives):
                for each in alternatives:
                    yield from self.solve(list(each), bound)
            case t.Negation(inner):
                yield from [] if list(self.solve([inner], bound)) else [bound]
            case t.Atom(relation, args):
                for row in list(self.known[relation]):
                    yield from self.matched(list(zip(args, row, strict=True)), bound)
            case t.Comparison("=", left, right):
                yield from self.equal(left, right, bound)
            case t.Comparison():
                yield from self.compared(literal, bound)

    def compared(self, found: t.Comparison, bound: Environment) -> Iterator[Environment]:
        try:
            left, right = self.value(found.left, bound), self.value(found.right, bound)
        except NoValue:
            return
        yield from [bound] if COMPARISONS[found.operator](left, right) else []

    def equal(self, left: t.Term, right: t.Term, bound: Environment) -> Iterator[Environment]:
        for known, other in ((left, right), (right, left)):
            try:
                value = self.value(known, bound)
            except NoValue:
                return
            except Open:
                continue
            yield from self.matched([(other, value)], bound)
            return
        raise Open

    def matched(self, pairs: list[tuple[t.Term, Any]], bound: Environment) -> Iterator[Environment]:
        """Yield the environment in which terms have these values; what is open is tried last."""
        bound, late = dict(bound), []
        while pairs:
            term, value = pairs.pop(0)
            match term:
                case t.Wildcard():
                    continue
                case t.Variable(name):
                    if bound.setdefault(name, value) != value:
                        return
                case t.Record(is_nil=False):
                    parts = (term.branch, *term.args) if term.branch else term.args
                    if (
                        not isinstance(value, tuple)
                        or len(value) != len(parts)
                        or (term.branch and value[0] != parts[0])
                    ):
                        return
                    start = 1 if term.branch else 0
                    pairs += list(zip(term.args, value[start:], strict=True))
                case _:
                    late.append((term, value))
        try:
            if all(self.value(term, bound) == value for term, value in late):
                yield bound
        except NoValue:
            return

    def value(self, term: t.Term, bound: Environment) -> Any:
        match term:
            case t.Variable(name):
                if name not in bound:
                    raise Open
                return bound[name]
            case t.Wildcard():
                raise Open
            case t.Constant(value):
                return value
            case t.Record(args, branch):
                return (*((branch,) if branch else ()), *(self.value(arg, bound) for arg in args))
            case t.Functor(name, args):
                return FUNCTIONS[name](*(self.value(arg, bound) for arg in args))
            case t.Aggregate():
                return self.aggregate(term, bound)
        raise AssertionError(term)

    def aggregate(self, term: t.Aggregate, bound: Environment) -> Any:
        own = set() if term.target is None else {v.name for v in t.variables_in(term.target)}
        outer = {name: value for name, value in bound.items() if name not in own}
        found = list(self.solve([term.body], outer))
        if term.function == "count":
            return len(found)
        assert term.target is not None
        values = []
        for each in found:
            try:
                values.append(self.value(term.target, each))
            except NoValue:
                continue
        if term.function == "sum":
            return whole(sum(values))
        if not values:
            raise NoValue
        return {"min": min, "max": max, "mean": mean}[term.function](values)


def reads(part: Any, closed: bool) -> Iterator[tuple[str, bool]]:
    """Yield the relations that a literal or a term reads, and whether they must be finished before."""
    inner: tuple[Any, ...] = ()
    match part:
        case t.Atom(relation, args):
            yield relation, closed
            inner = args
        case t.Negation(negated):
            inner, closed = (negated,), True
        case t.Aggregate(_, _, body):
            inner, closed = (body,), True
        case t.Comparison(_, left, right):
            inner = (left, right)
        case t.Body(alternatives):
            inner = tuple(each for choice in alternatives for each in choice)
        case t.Functor(_, args) | t.Record(args):
            inner = args
    for each in inner:
        yield from reads(each, closed)


def levels(program: Program) -> list[set[str]]:
    """The relations by level: each above what it must find finished, level with what it reads."""
    level = {each.name: 0 for each in program.declarations}
    for _ in range(len(level) + 1):
        for clause in program.clauses:
            for head in clause.heads:
                below = [
                    *reads(clause.body, False),
                    *(read for arg in head.args for read in reads(arg, False)),
                ]
                wanted = max((level[name] + closed for name, closed in below), default=0)
                level[head.relation] = max(level[head.relation], wanted)
    assert max(level.values(), default=0) <= len(level), "the program is not stratified"
    return [{name for name, at in level.items() if at == n} for n in range(len(level) + 1)]


def relations_of(program: Program, facts: Mapping[str, set[tuple[Any, ...]]]) -> Relations:
    return Evaluation(program, facts).known
