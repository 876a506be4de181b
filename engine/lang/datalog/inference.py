"""Of what kind each variable and term of a rule is; a rule that mixes kinds is refused.

Kinds come from the relations' columns, the functors and the literals, and go both ways through every
term until nothing is added. A plain number is of the kind that its place asks for, else a number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.lang.datalog import tree as t
from engine.lang.datalog.functors import FUNCTORS, RANGE, SAME, Functor
from engine.lang.datalog.normal import Aggregated, Rule, Simple, SimpleLiteral
from engine.lang.datalog.types import (
    FLOAT,
    NUMBER,
    NUMERIC,
    PLAIN,
    SYMBOL,
    UNSIGNED,
    Fields,
    Types,
    indefinite,
)
from engine.model.errors import QueryError, Span, nearest
from engine.plan.meanings import BIGINT_BOUND

Kind = str | None
EQUALITIES = frozenset({"=", "!="})


@dataclass(frozen=True)
class Signatures:
    """What a program declares: relations with the kinds of their columns, functors, types."""

    types: Types
    relations: Mapping[str, Fields]
    functors: Mapping[str, Functor]

    def relation(self, atom: t.Atom, rule: Rule) -> Fields:
        """Return the columns of the relation of an atom that has a term for each."""
        if atom.relation not in self.relations:
            known = list(self.relations)
            shown = (
                f"there are {', '.join(known)}" if known else f".decl {atom.relation}(x:number) declares it"
            )
            what = f"unknown relation {atom.relation}{rule.where(atom.span)}"
            message = f"{what}; {shown}{nearest(atom.relation, known)}"
            raise QueryError(message, atom.span)
        fields = self.relations[atom.relation]
        if len(fields) != len(atom.args):
            shown = f"{atom.relation}({', '.join(name for name, _ in fields)})"
            message = (
                f"{shown} has {counted(len(fields), 'column')}, found {len(atom.args)}{rule.where(atom.span)}"
            )
            raise QueryError(message, atom.span)
        return fields

    def functor(self, found: t.Functor, rule: Rule) -> Functor:
        functor = (self.functors if found.name.startswith("@") else FUNCTORS).get(found.name)
        if functor is None:
            known = sorted(self.functors)
            remedy = RANGE if found.name == "range" else f".functor declares one{nearest(found.name, known)}"
            message = f"unknown functor {found.name}{rule.where(found.span)}; {remedy}"
            raise QueryError(message, found.span)
        if not functor.takes(len(found.args)):
            least = counted(len(functor.parameters), "argument")
            wanted = f"{least}{' or more' if functor.is_open else ''}"
            message = f"{found.name} takes {wanted}, found {len(found.args)}{rule.where(found.span)}"
            raise QueryError(message, found.span)
        return functor


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


class Inference:
    """Finds the kinds of one rule."""

    def __init__(self, signatures: Signatures, rule: Rule) -> None:
        self._signatures = signatures
        self._rule = rule
        self.kinds: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._settles = False

    def typed(self) -> tuple[Rule, dict[str, str]]:
        """Return the rule with the kind in every term, and the kinds of its variables."""
        for self._settles in (False, True):
            known = -1
            while known < len(self.kinds):
                known = len(self.kinds)
                rule = replace(self._rule, body=self._body(self._rule.body), head=self._atom(self._rule.head))
        return rule, self.kinds

    def _body(self, literals: Simple) -> Simple:
        return tuple(self._literal(each) for each in literals)

    def _literal(self, literal: SimpleLiteral) -> SimpleLiteral:
        match literal:
            case t.Atom():
                return self._atom(literal)
            case t.Negation(t.Atom() as atom):
                return replace(literal, inner=self._atom(atom))
            case t.Comparison():
                return self._comparison(literal)
            case Aggregated():
                return self._aggregated(literal)
        raise AssertionError(literal)

    def _atom(self, atom: t.Atom) -> t.Atom:
        fields = self._signatures.relation(atom, self._rule)
        args = tuple(
            self._term(arg, kind, f"{atom.relation}'s column {name}")[0]
            for arg, (name, kind) in zip(atom.args, fields, strict=True)
        )
        return replace(atom, args=args)

    def _comparison(self, found: t.Comparison) -> t.Comparison:
        what = f"what is compared by {found.operator}"
        asked = SYMBOL if found.operator.endswith(("match", "contains")) else None
        _, kind = self._term(found.left, asked, what)
        right, kind = self._term(found.right, kind, f"the left side of {found.operator}")
        left, kind = self._term(found.left, kind, f"the right side of {found.operator}")
        if kind is None and self._settles:
            self._unknown(found.left)
        if kind not in PLAIN and kind is not None and found.operator not in EQUALITIES:
            message = (
                f"{found.operator} compares numbers or symbols, found {kind}{self._rule.where(found.span)}"
            )
            raise QueryError(message, found.span)
        return replace(found, left=left, right=right)

    def _unknown(self, term: t.Term) -> None:
        shown = term.shown if isinstance(term, t.Variable) else "this"
        span = term.span
        message = f"nothing says of which type {shown} is{self._rule.where(span)}; let it stand in an atom"
        raise QueryError(message, span)

    def _aggregated(self, found: Aggregated) -> Aggregated:
        literals = self._body(found.literals)
        if found.target is None:
            self._term(found.variable, NUMBER, "a count")
            return replace(found, literals=literals)
        wanted = self.kinds.get(found.variable.name) if found.function != "mean" else None
        target, kind = self._term(found.target, wanted, found.function)
        allowed = NUMERIC if found.function in ("sum", "mean") else frozenset(PLAIN)
        if kind is not None and kind not in allowed:
            self._mismatch(
                found.target, kind, "number" if allowed is NUMERIC else "number or symbol", found.function
            )
        result = FLOAT if found.function == "mean" else kind
        if result is not None:
            self._term(found.variable, result, f"the {found.function}")
        return replace(found, literals=literals, target=target)

    def _term(self, term: t.Term, wanted: Kind, place: str) -> tuple[t.Term, Kind]:
        """Return the term with the kinds in it, and its own, as far as known."""
        match term:
            case t.Variable(name):
                return term, self._variable(term, name, wanted, place)
            case t.Wildcard():
                return term, wanted
            case t.Constant():
                return self._constant(term, wanted, place)
            case t.Functor():
                return self._functor(term, wanted, place)
            case t.Record():
                return self._record(term, wanted, place)
            case t.Cast():
                return self._cast(term, wanted, place)
        raise AssertionError(term)

    def _variable(self, term: t.Variable, name: str, wanted: Kind, place: str) -> Kind:
        known = self.kinds.get(name)
        if known is None:
            if wanted is not None:
                self.kinds[name] = wanted
                self._reasons[name] = place
            return wanted
        if wanted is not None and wanted != known:
            reason = f"{term.shown} is {indefinite(known)} ({self._reasons[name]})"
            message = f"{reason}, and {place} is {indefinite(wanted)}{self._rule.where(term.span)}"
            raise QueryError(message, term.span)
        return known

    def _constant(self, term: t.Constant, wanted: Kind, place: str) -> tuple[t.Term, Kind]:
        kind = term.kind or (wanted if wanted in NUMERIC else NUMBER if self._settles or wanted else None)
        if kind is None:
            return term, None
        if wanted not in (None, kind):
            self._mismatch(term, kind, str(wanted), place)
        value = term.value
        assert isinstance(value, int | float | str)
        if kind == FLOAT:
            value = float(value)
        elif (
            isinstance(value, int) and not (0 if kind == UNSIGNED else -BIGINT_BOUND) <= value < BIGINT_BOUND
        ):
            bounds = "a number has 64 bits, an unsigned is not below 0"
            message = f"{value} is no {kind}{self._rule.where(term.span)}; {bounds}"
            raise QueryError(message, term.span)
        return replace(term, value=value, kind=kind), kind

    def _functor(self, term: t.Functor, wanted: Kind, place: str) -> tuple[t.Term, Kind]:
        functor = self._signatures.functor(term, self._rule)
        shared = wanted if functor.result in SAME else None
        for _ in range(2):
            args = []
            for i, arg in enumerate(term.args):
                parameter = functor.parameter(i)
                asked = (
                    shared
                    if parameter in SAME and parameter != "any"
                    else None
                    if parameter == "any"
                    else parameter
                )
                typed, kind = self._term(arg, asked, f"an argument of {term.name}")
                args.append(typed)
                if parameter in SAME and kind is not None:
                    self._check_among(arg, kind, parameter, term.name)
                    shared = kind if parameter != "any" else shared
        result = shared if functor.result in SAME else functor.result
        self._expect(term, result, wanted, place)
        return replace(term, args=tuple(args), kind=result or ""), result

    def _record(self, term: t.Record, wanted: Kind, place: str) -> tuple[t.Term, Kind]:
        types = self._signatures.types
        kind = types.owner(term.branch, term.span) if term.branch else wanted
        if kind is None:
            return term, None
        self._expect(term, kind, wanted, place)
        if kind in PLAIN or types.is_sum(kind) != bool(term.branch):
            self._mismatch(term, "record", kind, place)
        if term.is_nil:
            return replace(term, kind=kind), kind
        fields = types.fields(kind, term.branch)
        if len(fields) != len(term.args):
            shown = f"${term.branch}" if term.branch else kind
            found = f"found {len(term.args)}{self._rule.where(term.span)}"
            message = f"{shown} has {counted(len(fields), 'field')}, {found}"
            raise QueryError(message, term.span)
        args = tuple(
            self._term(arg, field, f"{term.branch or kind}'s field {name}")[0]
            for arg, (name, field) in zip(term.args, fields, strict=True)
        )
        return replace(term, args=args, kind=kind, kinds=tuple(k for _, k in fields)), kind

    def _cast(self, term: t.Cast, wanted: Kind, place: str) -> tuple[t.Term, Kind]:
        kind = self._signatures.types.kind(term.target, term.span)
        self._expect(term, kind, wanted, place)
        place_inside = f"what is cast to {term.target}"
        inner, found = self._term(term.term, None, place_inside)
        if found is None and self._settles:
            inner, found = self._term(term.term, kind, place_inside)
        if found is not None and found != kind and not {found, kind} <= {NUMBER, UNSIGNED}:
            self._mismatch(term, found, kind, "what it is cast to")
        if found in (kind, None):
            return inner if self._settles else replace(term, term=inner), kind
        changed = t.Functor("utoi" if found == UNSIGNED else "itou", (inner,), term.span, kind)
        return changed if self._settles else replace(term, term=inner), kind

    def _check_among(self, arg: t.Term, kind: str, parameter: str, name: str) -> None:
        if kind not in SAME[parameter]:
            wanted = {"numeric": "number", "whole": "whole number"}.get(parameter, "number or symbol")
            self._mismatch(arg, kind, wanted, f"an argument of {name}")

    def _expect(self, term: t.Term, kind: Kind, wanted: Kind, place: str) -> None:
        if kind is not None and wanted is not None and kind != wanted:
            self._mismatch(term, kind, wanted, place)

    def _mismatch(self, term: t.Term, found: str, wanted: str, place: str) -> None:
        span: Span = term.span
        what = term.shown if isinstance(term, t.Variable) else f"this {found}"
        is_found = (
            f"{what} is {indefinite(found)}" if isinstance(term, t.Variable) else f"found {indefinite(found)}"
        )
        message = f"{place} is {indefinite(wanted)}, {is_found}{self._rule.where(span)}"
        raise QueryError(message, span)
