"""The kinds of values: what a program's types come down to.

    number, unsigned  →  BIGINT      float  →  DOUBLE      symbol  →  TEXT
    a record or a sum of branches  →  a kind of its own, whose values are tuples

A subset and a union of types are of their parts' kind: values of one kind compare and meet, of two
never. ``nil`` is (), a record (x, y), a branch $B(x) is ("B", x).
"""

from collections.abc import Iterable, Mapping

from engine.lang.datalog.parts import Attribute, TypeDeclaration
from engine.model.errors import QueryError, Span, nearest
from engine.model.relation import Column
from engine.model.values import Type

NUMBER, UNSIGNED, FLOAT, SYMBOL = "number", "unsigned", "float", "symbol"
PLAIN = {NUMBER: Type.BIGINT, UNSIGNED: Type.BIGINT, FLOAT: Type.DOUBLE, SYMBOL: Type.TEXT}
NUMERIC = frozenset({NUMBER, UNSIGNED, FLOAT})
WHOLE = frozenset({NUMBER, UNSIGNED})
Fields = tuple[tuple[str, str], ...]


def column_type(kind: str) -> Type:
    return PLAIN.get(kind) or Type(f"[{kind}]")


class Types:
    """The types of one program."""

    def __init__(self, declarations: Iterable[TypeDeclaration]) -> None:
        self._declared: dict[str, TypeDeclaration] = {}
        self._owners: dict[str, str] = {}
        for each in declarations:
            self._declare(each)
        for each in self._declared.values():
            self.kind(each.name, each.span)
            for name, attributes in each.branches:
                self.fields(each.name, name)
                self._check_names(f"{each.name} {name}".strip(), attributes)

    def _declare(self, each: TypeDeclaration) -> None:
        if each.name in PLAIN or each.name in self._declared:
            message = f"the type {each.name}, line {each.span.line}, is there already; take another name"
            raise QueryError(message, each.span)
        self._declared[each.name] = each
        for branch, _ in each.branches if each.form == "sum" else ():
            if branch in self._owners:
                message = (
                    f"the branch {branch}, line {each.span.line}, is one of {self._owners[branch]} already; "
                    "take another name"
                )
                raise QueryError(message, each.span)
            self._owners[branch] = each.name

    def _check_names(self, what: str, attributes: tuple[Attribute, ...]) -> None:
        for i, each in enumerate(attributes):
            if each.name in {other.name for other in attributes[:i]}:
                message = f"{each.name} stands twice in {what}, line {each.span.line}"
                raise QueryError(message, each.span)

    def kind(self, name: str, span: Span) -> str:
        """Return what a type's name comes down to."""
        return self._kind(name, span, ())

    def _kind(self, name: str, span: Span, above: tuple[str, ...]) -> str:
        if name in PLAIN:
            return name
        if name in above:
            message = f"the type {name}, line {span.line}, is defined by itself: {' → '.join((*above, name))}"
            raise QueryError(message, span)
        found = self._declared.get(name)
        if found is None:
            known = [*PLAIN, *self._declared]
            message = (
                f"unknown type {name}, line {span.line}; there are {', '.join(known)}{nearest(name, known)}"
            )
            raise QueryError(message, span)
        if found.form in ("record", "sum"):
            return name
        kinds = [self._kind(each, found.span, (*above, name)) for each in found.names]
        if len(set(kinds)) > 1:
            parts = " and ".join(
                f"{n}, {indefinite(k)}" if n != k else n for n, k in zip(found.names, kinds, strict=True)
            )
            message = (
                f"the type {name}, line {found.span.line}, unites {parts}; values of two kinds never meet"
            )
            raise QueryError(message, found.span)
        return kinds[0]

    def is_sum(self, kind: str) -> bool:
        return self._declared[kind].form == "sum"

    def fields(self, kind: str, branch: str = "") -> Fields:
        """Return the names and kinds of a record's fields, or a branch's."""
        for name, attributes in self._declared[kind].branches:
            if name == branch:
                return tuple((each.name, self.kind(each.type, each.span)) for each in attributes)
        known = [name for name, _ in self._declared[kind].branches]
        message = f"{kind} has no branch {branch}; there are {', '.join(known)}{nearest(branch, known)}"
        raise QueryError(message)

    def owner(self, branch: str, span: Span) -> str:
        """Return the kind that a branch is of."""
        if branch not in self._owners:
            known = list(self._owners)
            shown = f"there are {', '.join(known)}" if known else ".type T = B { x : number } makes one"
            message = f"unknown branch ${branch}, line {span.line}; {shown}{nearest(branch, known)}"
            raise QueryError(message, span)
        return self._owners[branch]


def columns_of(fields: Mapping[str, str]) -> tuple[Column, ...]:
    return tuple(Column(name, column_type(kind)) for name, kind in fields.items())


def indefinite(kind: str) -> str:
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"
