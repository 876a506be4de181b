"""Of what kind each variable and term of a rule is; a rule that mixes kinds is refused.

Kinds come from the relations' columns, the functors and the literals, and go both ways through every
term (``kinds``) until nothing is added. A plain number is of the kind that its place asks for, else a
number.
"""

from dataclasses import replace

from engine.lang.datalog import tree as t
from engine.lang.datalog.kinds import TermKinds
from engine.lang.datalog.normal import Aggregated, Rule, Simple, SimpleLiteral
from engine.lang.datalog.types import FLOAT, NUMBER, NUMERIC, PLAIN, SYMBOL
from engine.model.errors import QueryError

EQUALITIES = frozenset({"=", "!="})


class Inference(TermKinds):
    """Finds the kinds of one rule."""

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
