"""A walk: from one row over the tables' indexes to whole bodies, written out as nested loops.

    for f1 in index1.get(w0[1], ()):
        w1 = f1.row
        for f2 in index2.get((w0[0], w1[2]), ()):
            …   head = (w0[0], w2[1])

The loops of a rule are written as Python and compiled once; run by an interpreter of steps the same
takes three times as long, and this is where the general form spends its time. Expressions that are
no plain columns are called over the concatenation of the rows so far.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from engine.model.values import Row
from engine.operators.recursion.rules.facts import Fact, Index
from engine.operators.recursion.rules.negation import Negation
from engine.plan.expressions import Compiled, Expr, Field, compiled

EACH = 1_024
NOTHING: Mapping[int, list[str]] = {}
Facts = tuple[Fact, ...]
Derived = Callable[[Fact, dict[Row, Fact]], list[tuple[Row, Facts]]]
First = Callable[[Row, float], tuple[Facts | None, bool]]
Every = Callable[[Row], list[Facts]]
Ask = Callable[[int], None]


class Step(NamedTuple):
    """One place of a body: where to look, by which key of the row so far, and what must hold then.

    A strict part of a key meets nothing where it is NULL; any other is equal to NULL there. A key that
    is the whole row needs no index: ``entries`` are then the table's facts by row, or those of a negation.
    """

    place: int
    width: int
    entries: Index | Negation
    key: Sequence[tuple[Expr, bool]]
    holds: Compiled | None
    is_whole: bool


class Walk:
    """The steps from a start row of some width to a whole body, and the head's expressions over it."""

    def __init__(self, width: int, steps: Sequence[Step], head: Sequence[Expr], first: Sequence[int]) -> None:
        self._steps = steps
        self._head = head
        self._widths = [width, *(step.width for step in steps)]
        order = [*first, *(step.place for step in steps)]
        names = ["fact"] * len(first) + [f"f{i}" for i in range(1, len(steps) + 1)]
        self._body = "(" + "".join(f"{names[order.index(place)]}, " for place in sorted(order)) + ")"
        self._names: dict[str, Any] = {"inf": inf}

    def derived(self, ask: Ask) -> Derived:
        """Return what finds, from a fact, the heads that are not ``present``, each with its body.

        A loop within another ``ask``s now and then whether it may go on, with as many as were found; one
        alone goes over no more rows than are held.

        Heads are looked for before the negated literals that only the whole body determines: most heads
        that are derived again are present.
        """
        whole = len(self._steps)
        while whole and isinstance(self._steps[whole - 1].entries, Negation):
            whole -= 1
        leave = "continue" if whole else "return found"
        inner = {whole: [f"head = {self._row(self._head, whole)}", f"if head in present: {leave}"]}
        last = [f"found.append((head, {self._body}))"]
        begin = ["w0 = fact.row", "found = []", "turns = 0"]
        self._names["ask"] = ask
        for depth, step in enumerate(self._steps[1:], 2):
            turn = [f"e{depth} = {self._looked_up(depth, step)}", f"turns += 1 + len(e{depth})"]
            turn += [f"if turns > {EACH}:", "    turns = 0", "    ask(len(found))"]
            inner[depth - 1] = [*inner.get(depth - 1, ()), *turn]
        derived: Derived = self._function(
            "fact, present", begin, "if {f}.rank == inf: continue", last, "found", inner
        )
        return derived

    def first(self) -> First:
        """Return what finds a body of a head row whose facts have ranks below.

        It tells, too, whether there may be others, of which no fact is doubtful.
        """
        head = self._row(self._head, len(self._steps))
        last = [f"if {head} == w0: return {self._body}, True"]
        begin = ["passed_over = False"]
        skip = "if {f}.rank >= below:\n    passed_over |= {f}.rank < inf\n    continue"
        first: First = self._function("w0, below", begin, skip, last, "None, passed_over")
        return first

    def every(self) -> Every:
        """Return what finds all bodies of a head row."""
        head = self._row(self._head, len(self._steps))
        last = [f"if {head} == w0: found.append({self._body})"]
        every: Every = self._function("w0", ["found = []"], "if {f}.rank == inf: continue", last, "found")
        return every

    def _function(
        self,
        arguments: str,
        begin: list[str],
        skip: str,
        last: list[str],
        result: str,
        inner: Mapping[int, list[str]] = NOTHING,
    ) -> Any:
        """Return the loops as a function; ``inner`` are lines that follow a step, by their depth."""
        is_asking = "ask" in self._names
        lines = [f"def walk({arguments}):", *(f"    {line}" for line in (*begin, *inner.get(0, ())))]
        for depth, step in enumerate(self._steps, 1):
            indent = "    " * depth
            entries = f"e{depth}" if is_asking and depth > 1 else self._looked_up(depth, step)
            lines.append(f"{indent}for f{depth} in {entries}:")
            lines += [f"{indent}    {line}" for line in skip.format(f=f"f{depth}").split("\n")]
            lines.append(f"{indent}    w{depth} = f{depth}.row")
            if step.holds is not None:
                asked = self._name(step.holds)
                lines.append(f"{indent}    if {asked}({self._so_far(depth)}) is not True: continue")
            lines += [f"{indent}    {line}" for line in inner.get(depth, ())]
        indent = "    " * (len(self._steps) + 1)
        lines += [f"{indent}{line}" for line in last] + [f"    return {result}"]
        names = dict(self._names)
        exec(compile("\n".join(lines), "<walk>", "exec"), names)  # noqa: S102  # of our own plan's positions only
        return names["walk"]

    def _looked_up(self, depth: int, step: Step) -> str:
        parts = [self._value(expression, depth - 1) for expression, _ in step.key]
        strict = [part for part, (_, is_strict) in zip(parts, step.key, strict=True) if is_strict]
        row = f"({''.join(f'{part}, ' for part in parts)})"
        if step.is_whole:
            found = f"((f,) if (f := {self._name(step.entries)}.get({row})) is not None and f.active else ())"
        else:
            key = parts[0] if len(parts) == 1 else row
            found = f"{self._name(step.entries)}.get({key}, ())"
        return f"({found} if {' is not None and '.join(strict)} is not None else ())" if strict else found

    def _row(self, expressions: Sequence[Expr], depth: int) -> str:
        return f"({''.join(f'{self._value(e, depth)}, ' for e in expressions)})"

    def _value(self, expression: Expr, depth: int) -> str:
        """Write an expression over the rows up to a depth."""
        if not isinstance(expression, Field):
            return f"{self._name(compiled(expression))}({self._so_far(depth)})"
        place, offset = 0, expression.position
        while offset >= self._widths[place]:
            offset -= self._widths[place]
            place += 1
        return f"w{place}[{offset}]"

    def _so_far(self, depth: int) -> str:
        return " + ".join(f"w{i}" for i in range(depth + 1))

    def _name(self, thing: Any) -> str:
        name = f"given{len(self._names)}"
        self._names[name] = thing
        return name
