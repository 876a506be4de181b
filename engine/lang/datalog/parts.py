"""What a program declares besides its rules, each with its place in the text.

Program  =  types, relations, directives, functors, clauses, queries
"""

from dataclasses import dataclass

from engine.lang.datalog.tree import Clause, Query
from engine.model.errors import Span


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name and the name of a type."""

    name: str
    type: str
    span: Span


@dataclass(frozen=True, slots=True)
class Declaration:
    """``.decl name(attributes) qualifiers``."""

    name: str
    attributes: tuple[Attribute, ...]
    qualifiers: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """``form`` is subset or union of ``names``, record of the one branch, or sum of several."""

    name: str
    form: str
    names: tuple[str, ...]
    branches: tuple[tuple[str, tuple[Attribute, ...]], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """``.input relation(parameters) [window]``, or .output, or .printsize."""

    kind: str
    relation: str
    parameters: tuple[tuple[str, str], ...]
    window: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class FunctorDeclaration:
    """``.functor name(types): result``."""

    name: str
    parameters: tuple[str, ...]
    result: str
    span: Span


@dataclass(frozen=True)
class Program:
    """A text, read; ``notes`` say what of it was passed over."""

    types: tuple[TypeDeclaration, ...]
    declarations: tuple[Declaration, ...]
    directives: tuple[Directive, ...]
    functors: tuple[FunctorDeclaration, ...]
    clauses: tuple[Clause, ...]
    queries: tuple[Query, ...]
    notes: tuple[str, ...]
