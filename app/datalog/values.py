"""Values of a program as text, in files of facts and in updates, and back.

    number 7      float 0.5      symbol a text      record [1, [2, nil]]      branch $Leaf, $Node(1, x)

In a file of facts a symbol is what stands between two delimiters; within a record it ends at a comma or
a bracket, or stands in quotes. In an update, and in a proof, symbols stand in quotes, as in a program.
"""

import json
from typing import Protocol

from app.datalog.scanning import (
    NAME,
    Malformed,
    Place,
    after_space,
    described,
    expected,
    real,
    symbol,
    whole,
)
from engine.model.errors import QueryError
from engine.model.values import Value

Part = str | tuple[Value, str]


class Kinds(Protocol):
    """What the types of a program come down to."""

    def fields(self, kind: str, branch: str = "") -> tuple[tuple[str, str], ...]: ...
    def is_sum(self, kind: str) -> bool: ...


class Texts:
    """Reads and writes the values of a program's kinds."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def plain(self, text: str, kind: str, column: int = 1) -> Value:
        """Read all of a text as one value; a symbol is the text as it stands."""
        if kind == "symbol":
            return text
        value, end = self.value(text, 0, kind, is_program=False, shift=column - 1)
        end = after_space(text, end)
        if end < len(text):
            raise Malformed(column + end, text[end:], f"the end of {described(kind)}")
        return value

    def value(self, text: str, at: int, kind: str, *, is_program: bool, shift: int = 0) -> Place:
        """Read one value that begins at a place; in a program's text symbols are quoted."""
        try:
            return self._value(text, at, kind, is_program=is_program, shift=shift)
        except RecursionError:
            raise Malformed(shift + at + 1, text[at:], "a value of fewer parts within parts") from None

    def _value(self, text: str, at: int, kind: str, *, is_program: bool, shift: int) -> Place:
        at = after_space(text, at)
        if kind == "symbol":
            return symbol(text, at, shift, is_program=is_program)
        if kind in ("number", "unsigned"):
            return whole(text, at, kind, shift)
        if kind == "float":
            return real(text, at, shift)
        branch, at = self._opening(text, at, kind, shift)
        if branch is None:
            return Place((), at)
        fields = self._kinds.fields(kind, branch)
        close = ")" if self._kinds.is_sum(kind) else "]"
        values: list[Value] = [branch] if close == ")" else []
        for number, (_, inner) in enumerate(fields):
            at = at if number == 0 else expected(text, at, ",", shift)
            value, at = self._value(text, at, inner, is_program=is_program, shift=shift)
            values.append(value)
        if close == ")" and not fields:
            behind = after_space(text, at)
            is_open = text.startswith("(", behind)
            return Place((branch,), expected(text, behind + 1, ")", shift) if is_open else at)
        return Place(tuple(values), expected(text, at, close, shift))

    def _opening(self, text: str, at: int, kind: str, shift: int) -> tuple[str | None, int]:
        """Return the branch, empty of a record and None of nil, and where its first field begins."""
        if not self._kinds.is_sum(kind):
            if text.startswith("nil", at) and not text[at + 3 : at + 4].isalnum():
                return None, at + 3
            return "", expected(text, at, "[", shift, f"{described(kind)}: [ … ] or nil")
        name = NAME.match(text, at + 1) if text.startswith("$", at) else None
        if name is None:
            raise Malformed(shift + at + 1, text[at:], f"{described(kind)}: $Branch( … )")
        branch, end = name[0], name.end()
        return branch, expected(text, end, "(", shift) if self._fields(kind, branch, shift + at + 1) else end

    def _fields(self, kind: str, branch: str, column: int) -> tuple[tuple[str, str], ...]:
        try:
            return self._kinds.fields(kind, branch)
        except QueryError:
            raise Malformed(column, f"${branch}", f"a branch of {kind}") from None

    def file_text(self, value: Value, kind: str) -> str:
        """Write a value as a file has it: a symbol as it stands."""
        return self._text(value, kind, is_program=False)

    def program_text(self, value: Value, kind: str) -> str:
        """Write a value as a program has it."""
        return self._text(value, kind, is_program=True)

    def _text(self, value: Value, kind: str, *, is_program: bool) -> str:
        """Write a value without recursion: a list may be as long as a path."""
        found: list[str] = []
        waiting: list[Part] = [(value, kind)]
        while waiting:
            each = waiting.pop()
            if isinstance(each, str):
                found.append(each)
            elif isinstance(each[0], tuple) and each[0]:
                waiting += reversed(self._parts(each[0], each[1]))
            else:
                found.append(plain_text(each[0], is_program=is_program))
        return "".join(found)

    def _parts(self, value: tuple[Value, ...], kind: str) -> list[Part]:
        """Return what a record is written as: signs, and its values."""
        is_sum = self._kinds.is_sum(kind)
        branch = str(value[0]) if is_sum else ""
        fields = self._kinds.fields(kind, branch)
        if not fields:
            return [f"${branch}"]
        parts: list[Part] = [f"${branch}(" if is_sum else "["]
        for part, (_, of) in zip(value[1:] if is_sum else value, fields, strict=True):
            parts += [(part, of), ", "]
        return [*parts[:-1], ")" if is_sum else "]"]

    def atom(self, relation: str, row: tuple[Value, ...], kinds: tuple[str, ...]) -> str:
        """Write a row as a program's fact has it, without the full stop."""
        parts = [self.program_text(value, kind) for value, kind in zip(row, kinds, strict=True)]
        return f"{relation}({', '.join(parts)})"


def plain_text(value: Value, *, is_program: bool) -> str:
    """Write a value that has no parts."""
    if isinstance(value, str):
        return quoted(value) if is_program else value
    if isinstance(value, float):
        return real_text(value)
    return "nil" if value == () else str(value)


def quoted(text: str) -> str:
    """Write a symbol in quotes; what could steer a terminal is escaped."""
    signs = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in signs)


def real_text(number: float) -> str:
    """Write a float so that it reads back as itself, whole ones without a point."""
    text = repr(number)
    return text.removesuffix(".0")
