"""A window of totals: of each pane what each group's rows amount to, never the rows.

    pane(at)  =  ceil(at / p) · p        p = gcd(range, slide): a window begins and ends where panes do
    held      =  (pane, group)  ↦  Σ of what the ticks brought for both
    shown     =  the panes in  (W(T) - r, W(T)],   W(T) = floor(T / s) · s;   unbounded: one, for ever

A total that grows is taken back and said anew, so what stands above is told each pane's group once.

References:
    Li, Maier, Tufte, Papadimos, Tucker. No Pane, No Gain. SIGMOD Record 2005.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic, TypeVar

from engine.model.reading import Reading
from engine.model.values import Row, Value
from engine.operators.delta import Delta, add
from engine.operators.leaf import State
from engine.plan.expressions import Field
from engine.plan.leaves import TotalFragment
from engine.plan.logical import AggregateCall
from engine.provenance.algebra import Ring

A = TypeVar("A")
AGAIN: dict[str, Callable[[Any, Any], Any]] = {
    "count": lambda a, b: a + b,
    "sum": lambda a, b: a + b,
    "min": min,
    "max": max,
}
"""By what two totals are one."""

FOLDS: dict[str, Callable[[list[Any]], Value]] = {"sum": sum, "min": min, "max": max}


class Totals(Generic[A]):
    """Totals by pane and group; without a length everything is one pane."""

    is_still: ClassVar[bool] = False

    def __init__(
        self, algebra: Ring[A], fragment: TotalFragment, length: int | None = None, slide: int = 1
    ) -> None:
        self._algebra = algebra
        self._length = length
        self._slide = slide
        self._width = len(fragment.groups)
        self._again = [AGAIN[call.function] for call in fragment.calls]
        self._panes: dict[int, dict[Row, Row]] = {}
        self._end = -1

    def advance(self, readings: Iterable[Reading], now: int) -> Delta[A]:
        change: Delta[A] = {}
        for reading in readings:
            self._take(reading, change)
        before, self._end = self._end, 0 if self._length is None else now // self._slide * self._slide
        horizon = -1 if self._length is None else self._end - self._length
        for pane in sorted(self._panes):
            if pane <= horizon:
                totals = self._panes.pop(pane)
                self._say(pane, totals if pane <= before else {}, -1, change)
            elif before < pane <= self._end:
                self._say(pane, self._panes[pane], 1, change)
        return change

    def _take(self, reading: Reading, change: Delta[A]) -> None:
        pane = self._panes.setdefault(reading.at, {})
        group, more = reading.row[: self._width], reading.row[self._width :]
        held = pane.get(group)
        whole = more if held is None else self._merged(held, more)
        pane[group] = whole
        if reading.at <= self._end:
            self._say(reading.at, {} if held is None else {group: held}, -1, change)
            self._say(reading.at, {group: whole}, 1, change)

    def _merged(self, held: Row, more: Row) -> Row:
        both = zip(self._again, held, more, strict=True)
        return tuple([b if a is None else a if b is None else again(a, b) for again, a, b in both])

    def _say(self, pane: int, totals: dict[Row, Row], sign: int, change: Delta[A]) -> None:
        one = self._algebra.one if sign > 0 else self._algebra.negate(self._algebra.one)
        until = None if self._length is None else pane
        for group, values in totals.items():
            add(change, (*group, until, *values), one, self._algebra)

    def contents(self) -> Delta[A]:
        found: Delta[A] = {}
        for pane, totals in self._panes.items():
            self._say(pane, totals if pane <= self._end else {}, 1, found)
        return found

    def state(self) -> State:
        return [self._end, [(pane, list(totals.items())) for pane, totals in self._panes.items()]]

    def restore(self, state: State) -> None:
        self._end, panes = state
        self._panes = {pane: dict(totals) for pane, totals in panes}

    def __len__(self) -> int:
        return sum(map(len, self._panes.values()))


def in_totals(fragment: TotalFragment, readings: Iterable[Reading]) -> list[Reading]:
    """Return what the pass makes of these rows of a fragment."""
    groups: dict[tuple[int, Row], list[Row]] = {}
    for reading in readings:
        group = tuple([reading.row[position] for position in fragment.groups])
        groups.setdefault((fragment.pane_of(reading.at), group), []).append(reading.row)
    return [
        Reading(fragment.relation, 1, (*group, *(total(call, rows) for call in fragment.calls)), 0, 0, pane)
        for (pane, group), rows in groups.items()
    ]


def total(call: AggregateCall, rows: list[Row]) -> Value:
    """Return what rows amount to, beyond 64 bits where they do: only the whole has to fit."""
    if call.argument is None:
        return len(rows)
    assert isinstance(call.argument, Field)
    values: list[Any] = [row[call.argument.position] for row in rows]
    known = [value for value in values if value is not None]
    if call.function == "count":
        return len(known)
    return FOLDS[call.function](known) if known else None
