"""What a program declares: how many columns, of which kinds; what functors take and give."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.lang.datalog import tree as t
from engine.lang.datalog.functors import FUNCTORS, RANGE, Functor
from engine.lang.datalog.normal import Rule
from engine.lang.datalog.types import Fields, Types
from engine.model.errors import QueryError, nearest


class UndeclaredError(QueryError):
    """A relation that a program does not declare; ``what`` is the message without what it does declare."""

    def __init__(self, message: str, what: str, atom: t.Atom) -> None:
        super().__init__(message, atom.span)
        self.what, self.relation = what, atom.relation


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
            raise UndeclaredError(message, what, atom)
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
