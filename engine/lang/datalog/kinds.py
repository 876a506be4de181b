"""Of what kind the terms of a rule are, as far as is known; kinds go both ways through a term.

wanted by its place  →  term  →  its own        and the same for each of its arguments
"""

from dataclasses import replace

from engine.lang.datalog import tree as t
from engine.lang.datalog.functors import SAME
from engine.lang.datalog.normal import Rule
from engine.lang.datalog.signatures import Signatures, counted
from engine.lang.datalog.types import FLOAT, NUMBER, NUMERIC, PLAIN, UNSIGNED, indefinite
from engine.model.errors import QueryError, Span
from engine.plan.meanings import BIGINT_BOUND

Kind = str | None


class TermKinds:
    """Finds the kinds of one rule's terms; what nothing else tells is settled at last."""

    def __init__(self, signatures: Signatures, rule: Rule) -> None:
        self._signatures = signatures
        self._rule = rule
        self.kinds: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._settles = False

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

    def _unknown(self, term: t.Term) -> None:
        shown = term.shown if isinstance(term, t.Variable) else "this"
        span = term.span
        message = f"nothing says of which type {shown} is{self._rule.where(span)}; let it stand in an atom"
        raise QueryError(message, span)
