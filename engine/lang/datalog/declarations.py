"""What the grammar finds of types, relations, directives and functors."""

from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from engine.lang.datalog import tree as t
from engine.lang.datalog.literals import text_of
from engine.lang.datalog.parts import (
    Attribute,
    Declaration,
    Directive,
    FunctorDeclaration,
    Program,
    TypeDeclaration,
)
from engine.lang.datalog.reader import Reader, span_at, span_of
from engine.model.errors import QueryError

IGNORED = frozenset({"brie", "btree", "btree_delete", "inline", "no_inline", "magic", "no_magic"})
Named = tuple[str, tuple[Attribute, ...]]


def strings(found: list[Token]) -> tuple[str, ...]:
    return tuple(map(str, found))


@v_args(meta=True)
class ProgramReader(Reader):
    """Reads the whole text."""

    def names(self, meta: Meta, found: list[Token]) -> list[Token]:
        return found

    def attribute(self, meta: Meta, found: list[Token]) -> Attribute:
        return Attribute(str(found[0]), str(found[1]), span_of(meta))

    def attributes(self, meta: Meta, found: list[Attribute]) -> tuple[Attribute, ...]:
        return tuple(found)

    def decl(self, meta: Meta, found: list[Any]) -> list[Declaration | Directive]:
        _, names, attributes, *qualifiers = found
        words = strings(qualifiers)
        if "overridable" in words:
            message = (
                f"overridable belongs to components, line {meta.line}, which are not part of this Datalog"
            )
            raise QueryError(message, span_of(meta))
        made: list[Declaration | Directive] = []
        for name in names:
            made.append(Declaration(str(name), attributes or (), words, span_at(name)))
            made += [
                Directive(word, str(name), (), None, span_at(name))
                for word in words
                if word in ("input", "output", "printsize")
            ]
        return made

    def plain_type(self, meta: Meta, found: list[Token]) -> TypeDeclaration:
        base = "number" if found[0].startswith(".number") else "symbol"
        return TypeDeclaration(str(found[1]), "subset", (base,), (), span_at(found[1]))

    def subset(self, meta: Meta, found: list[Token]) -> TypeDeclaration:
        return TypeDeclaration(str(found[1]), "subset", (str(found[2]),), (), span_at(found[1]))

    def union(self, meta: Meta, found: list[Token]) -> TypeDeclaration:
        return TypeDeclaration(str(found[1]), "union", strings(found[2:]), (), span_at(found[1]))

    def record_type(self, meta: Meta, found: list[Any]) -> TypeDeclaration:
        return TypeDeclaration(str(found[1]), "record", (), (("", found[2] or ()),), span_at(found[1]))

    def branch(self, meta: Meta, found: list[Any]) -> Named:
        return str(found[0]), found[1] or ()

    def sum_type(self, meta: Meta, found: list[Any]) -> TypeDeclaration:
        return TypeDeclaration(str(found[1]), "sum", (), tuple(found[2:]), span_at(found[1]))

    def value(self, meta: Meta, found: list[Token]) -> str:
        return text_of(found[0], span_of(meta)) if found[0].type == "STRING" else str(found[0])

    def pair(self, meta: Meta, found: list[Any]) -> tuple[str, str]:
        return str(found[0]), found[1]

    def pairs(self, meta: Meta, found: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple(found)

    def directive(self, meta: Meta, found: list[Any]) -> list[Directive]:
        kind, names, pairs, window = found
        if window is not None and kind != ".input":
            message = f"a window goes with .input, line {window.line}, found it with {kind}"
            raise QueryError(message, span_at(window))
        text = None if window is None else str(window)
        return [Directive(kind[1:], str(n), pairs or (), text, span_at(n)) for n in names]

    def parameter(self, meta: Meta, found: list[Any]) -> str:
        return str(found[1])

    def parameters(self, meta: Meta, found: list[str]) -> tuple[str, ...]:
        return tuple(found)

    def functor(self, meta: Meta, found: list[Any]) -> FunctorDeclaration:
        _, name, parameters, result, stateful = found
        if stateful is not None:
            remedy = "the same arguments give the same result"
            message = f"the functor {name}, line {name.line}, cannot be stateful; {remedy}"
            raise QueryError(message, span_at(stateful))
        return FunctorDeclaration(str(name), parameters or (), str(result), span_at(name))

    def pragma(self, meta: Meta, found: list[Any]) -> str:
        return f".pragma {found[1]}, line {meta.line}, is passed over: it speaks to Soufflé's compiler"

    def start(self, meta: Meta, found: list[Any]) -> Program:
        parts = [part for each in found for part in (each if isinstance(each, list) else [each])]

        def of(kind: type) -> tuple[Any, ...]:
            return tuple(part for part in parts if isinstance(part, kind))

        return Program(
            of(TypeDeclaration),
            of(Declaration),
            of(Directive),
            of(FunctorDeclaration),
            of(t.Clause),
            of(t.Query),
            of(str),
        )
