"""Bodies become conjunctions: atoms first, then what they make computable, at last what is negated.

q(x, y), z = x + 1, r(z), !s(y)   →   (q × r where x + 1 = r.0)  ▷  s
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.lang.datalog import tree as t
from engine.lang.datalog.conjunction import Conjunction, Excluded
from engine.lang.datalog.functors import Functor
from engine.lang.datalog.grouping import Groups, Member, aggregated
from engine.lang.datalog.normal import Aggregated, Rule, Simple
from engine.lang.datalog.patterns import computed_in, is_apart, key_parts, parts_of
from engine.lang.datalog.safety import bound_by, inner_variables, is_computable, pattern_variables
from engine.lang.datalog.terms import Terms, equal
from engine.lang.datalog.types import column_type
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, conjunction
from engine.plan.logical import Plan, Select

COMPARISONS = {"!=": "<>"}
TESTS = {"match": "matches", "contains": "holds_text"}


@dataclass(frozen=True)
class Match:
    """A value that must be a term's, once that can be computed."""

    value: Expr
    term: t.Term


Waiting = t.Negation | t.Comparison | Aggregated | Match


class BodyBinder:
    """Binds the body of one rule over plans for its relations."""

    def __init__(
        self,
        rule: Rule,
        kinds: Mapping[str, str],
        functors: Mapping[str, Functor],
        relation: Callable[[str], Plan],
    ) -> None:
        self._rule = rule
        self._kinds = kinds
        self._terms = Terms(functors, kinds)
        self._relation = relation

    def plans(self, columns: tuple[Column, ...]) -> list[Plan]:
        """Return the plans whose rows, together, are the head's."""
        plans: list[Plan] = []
        for each in self._solved(Conjunction(), self._rule.body):
            plan = each.project([self._value(each, arg) for arg in self._rule.head.args], columns)
            if not each.is_dead:
                plans.append(plan)
        return plans

    def _solved(self, joined: Conjunction, literals: Simple) -> list[Conjunction]:
        """Return the conjunctions of which each row of the body satisfies one."""
        scope = bound_by(literals, joined.bound)
        waiting: list[Waiting] = []
        for each in literals:
            if isinstance(each, t.Atom):
                fields = joined.read(self._relation(each.relation))
                for value, arg in zip(fields, each.args, strict=True):
                    waiting += self._match(joined, value, arg)
            else:
                waiting.append(each)
        found = [joined]
        while waiting and found:
            literal = next(
                each for each in waiting if self._is_ready(each, set(found[0].bound), scope, waiting)
            )
            waiting.remove(literal)
            found = [made for each in found for made in self._taken(each, literal, scope) if not made.is_dead]
        return found

    def _is_ready(self, literal: Waiting, bound: set[str], scope: set[str], waiting: list[Waiting]) -> bool:
        match literal:
            case Match(_, term):
                return is_computable(term, bound)
            case t.Comparison("=", left, right):
                sides = ((left, right), (right, left))
                return any(
                    is_computable(a, bound) and computed_in(b) <= bound | pattern_variables(b)
                    for a, b in sides
                )
            case t.Comparison(_, left, right):
                return is_computable(left, bound) and is_computable(right, bound)
            case Aggregated():
                return inner_variables(literal) & scope <= bound
        return all(isinstance(each, t.Negation) for each in waiting)

    def _taken(self, joined: Conjunction, literal: Waiting, scope: set[str]) -> list[Conjunction]:
        match literal:
            case Match(value, term):
                joined.ask(equal(value, self._value(joined, term)))
            case t.Comparison():
                self._compare(joined, literal)
            case t.Negation(t.Atom() as atom):
                self._exclude(joined, atom)
            case Aggregated():
                return aggregated(joined, literal, self._groups(joined, literal, scope))
        return [joined]

    def _value(self, joined: Conjunction, term: t.Term) -> Expr:
        return joined.value_of(self._terms.expression(term, joined.bound))

    def _match(self, joined: Conjunction, value: Expr, term: t.Term) -> list[Waiting]:
        """Take a value apart as a term says; return what of it waits for other literals."""
        match term:
            case t.Wildcard():
                return []
            case t.Variable(name):
                joined.bind(name, value)
                return []
            case t.Record(is_nil=False):
                joined.ask(is_apart(value, term))
                parts = parts_of(value, term)
                return [late for part, arg in parts for late in self._match(joined, part, arg)]
        return [Match(value, term)]

    def _compare(self, joined: Conjunction, found: t.Comparison) -> None:
        bound = joined.bound.keys()
        if found.operator != "=":
            joined.ask(self._condition(joined, found))
        elif is_computable(found.left, bound) and is_computable(found.right, bound):
            joined.ask(equal(self._value(joined, found.left), self._value(joined, found.right)))
        else:
            known, open_ = found.left, found.right
            if not is_computable(known, bound) or not computed_in(open_) <= bound | pattern_variables(open_):
                known, open_ = open_, known
            for late in self._match(joined, self._value(joined, known), open_):
                assert isinstance(late, Match)
                joined.ask(equal(late.value, self._value(joined, late.term)))

    def _condition(self, joined: Conjunction, found: t.Comparison) -> Expr:
        sides = (self._value(joined, found.left), self._value(joined, found.right))
        _, negated, name = found.operator.rpartition("not ")
        function = TESTS.get(name) or COMPARISONS.get(name, name)
        condition = Call(function, sides, Type.BOOLEAN)
        return Call("not", (condition,), Type.BOOLEAN) if negated else condition

    def _exclude(self, joined: Conjunction, atom: t.Atom) -> None:
        plan = self._relation(atom.relation)
        parts, conditions = key_parts(plan, atom)
        left = tuple(self._value(joined, term) for _, term in parts)
        right = tuple(value for value, _ in parts)
        plan = Select(plan, conjunction(conditions)) if conditions else plan
        joined.excluded.append(Excluded(plan, left, right))

    def _groups(self, joined: Conjunction, literal: Aggregated, scope: set[str]) -> Groups:
        """Return the rows that an aggregate is over, by the variables from around it."""
        shared = tuple(sorted(inner_variables(literal) & scope))
        inner = Conjunction()
        foreign = [name for name in shared if name not in bound_by(literal.literals)]
        if foreign:
            values = joined.values_of(foreign)
            if values is None:
                message = (
                    f"the {literal.function}{self._rule.where(literal.span)} uses {foreign[0]}, which only "
                    "the recursion binds; bind it in an atom inside of the aggregate"
                )
                raise QueryError(message, literal.span)
            for name, field in zip(foreign, inner.read(values), strict=True):
                inner.bind(name, field)
        members = tuple(
            Member(
                each,
                tuple(each.bound[name] for name in shared),
                None if literal.target is None else self._value(each, literal.target),
            )
            for each in self._solved(inner, literal.literals)
        )
        kinds = [self._kinds[name] for name in shared]
        kinds += [] if literal.target is None else [self._terms.kind(literal.target)]
        return Groups(shared, tuple(map(column_type, kinds)), members)
