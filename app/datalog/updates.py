"""Lines of updates, cut into transactions.

    +edge(1, 2)     // comes
    -edge(2, 3)     // goes
    commit

A line that cannot be taken refuses its whole transaction: nothing of it is applied, and the next one is
read. The end of the lines ends a transaction too.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from app.datalog.files import Shape
from app.datalog.scanning import NAME, Malformed, after_space, counted, expected
from app.datalog.values import Texts
from engine.model.errors import SourceError, nearest
from engine.model.values import Row

COMMIT = "commit"


@dataclass
class Transaction:
    """Signed rows in order, and why the whole is refused, if it is."""

    changes: list[tuple[str, int, Row]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.changes or self.refused)


class Updates:
    """Reads lines about input relations; ``known`` are all relations of the program."""

    def __init__(self, inputs: Mapping[str, Shape], known: Iterable[str], texts: Texts) -> None:
        self._inputs = inputs
        self._known = frozenset(known)
        self._texts = texts

    def transactions(self, lines: Iterable[str], name: str) -> Iterator[Transaction]:
        """Yield each transaction as soon as its commit was read."""
        found = Transaction()
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if text.partition("//")[0].rstrip() == COMMIT:
                yield found
                found = Transaction()
            elif text and not text.startswith("//"):
                try:
                    found.changes.append(self.change(text))
                except (Malformed, SourceError) as error:
                    found.refused.append(f"{name}, line {number}, {error}")
        if found:
            yield found

    def change(self, text: str) -> tuple[str, int, Row]:
        """Read ``+rel(args)`` or ``-rel(args)``."""
        odd = next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), None)
        if odd is not None:
            raise Malformed(odd + 1, f"the byte {ord(text[odd]) - 0xDC00:#x}", "UTF-8")
        if text[0] not in "+-":
            raise Malformed(1, text, "+rel(…), -rel(…) or commit")
        name, row, end = self.atom(text, 1)
        rest = text[end:].strip().removeprefix(".").strip()
        if rest and not rest.startswith("//"):
            raise Malformed(end + 1, rest, "the end of the line")
        return name, 1 if text[0] == "+" else -1, row

    def atom(self, text: str, at: int) -> tuple[str, Row, int]:
        """Read an atom of an input relation; return where what follows it begins."""
        at = after_space(text, at)
        named = NAME.match(text, at)
        if named is None:
            raise Malformed(at + 1, text[at:], "a relation")
        shape = self._inputs.get(named[0])
        if shape is None:
            raise SourceError(self._unknown(named[0], at))
        at, row = expected(text, named.end(), "(", 0), []
        for number, kind in enumerate(shape.kinds):
            at = at if number == 0 else self._comma(text, at, shape, number)
            value, at = self._texts.value(text, at, kind, is_program=True)
            row.append(value)
        return named[0], tuple(row), expected(text, at, ")", 0, self._width(shape))

    def _comma(self, text: str, at: int, shape: Shape, found: int) -> int:
        if text.startswith(")", after_space(text, at)):
            raise Malformed(at + 1, counted(found), self._width(shape))
        return expected(text, at, ",", 0)

    def _width(self, shape: Shape) -> str:
        shown = ", ".join(f"{name}:{kind}" for name, kind in shape.columns)
        return f"{counted(len(shape.columns))} and a closing bracket: {shape.name}({shown})"

    def _unknown(self, name: str, at: int) -> str:
        there = list(self._inputs)
        if name in self._known:
            return f"column {at + 1}: {name} is derived; only what .input names is updated: {listed(there)}"
        return f"column {at + 1}: unknown relation {name}; there are {listed(there)}{nearest(name, there)}"


def listed(names: list[str]) -> str:
    return ", ".join(names) or "none"
