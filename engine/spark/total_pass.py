"""The pass where some fragments are totals: a row goes once as it is, and once to each total that it is of.

    row  →  arm 0: itself, a group of its own        arm i: (group, pane)  →  count, Σ, min, max

One aggregation in the JVM makes both, over rows that are decoded once. A sum is carried as those of the
upper and the lower 32 bits, which no tick can make leave 64; doubles of rows as text, since a group's
would lose the sign of zero.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from engine.model.lanes import from_lanes, places
from engine.model.reading import Reading
from engine.model.values import Row
from engine.plan.expressions import Field
from engine.plan.leaves import StreamFragment, TotalFragment
from engine.plan.logical import AggregateCall
from engine.plan.render import quoted
from engine.spark.one_pass import ROW, OnePass, Piece, tuples

EMPTY = {"longs": "CAST(array() AS ARRAY<BIGINT>)", "texts": "CAST(array() AS ARRAY<STRING>)"}
PARTS = ("count({})", "sum(shiftright({}, 32))", "sum({} & 4294967295L)", "min({})", "max({})")
DOUBLES = ROW.index("doubles")


def pass_for(fragments: Sequence[StreamFragment]) -> OnePass:
    """Return the pass for a set of fragments."""
    has_totals = any(isinstance(each, TotalFragment) for each in fragments)
    return TotalPass(fragments) if has_totals else OnePass(fragments)


class TotalPass(OnePass):
    """The pass for fragments of which some are totals."""

    def __init__(self, fragments: Sequence[StreamFragment]) -> None:
        super().__init__([each for each in fragments if not isinstance(each, TotalFragment)])
        self.wanted_by = tuple(fragments)
        self.totals = [each for each in dict.fromkeys(fragments) if isinstance(each, TotalFragment)]
        asked = (measure(each, call) for each in self.totals for call in each.calls)
        self.measures = tuple(dict.fromkeys(text for text in asked if text is not None))
        self._reads = [reader(each, self.measures) for each in self.totals]

    def frame(self, batch: Any, to_seq: Any, expression: Any) -> Any:
        taking = batch.selectExpr(to_seq(list(self.columns)))
        spread = taking.selectExpr(to_seq(["*", f"explode({self._arms()}) AS arm"])).where("arm >= 0")
        keyed = spread.selectExpr(to_seq([*self._keys(), *self._measured()])).coalesce(1)
        keys = [keyed.col(name) for name in ("arm", *ROW, *self._words())]
        names = [f"m{i}" for i in range(len(self.measures))]
        calls = [expression("count(1)"), *(expression(part.format(m)) for m in names for part in PARTS)]
        return keyed.groupBy(to_seq(keys)).agg(calls[0], to_seq(calls[1:]))

    def _words(self) -> list[str]:
        return [f"taken{number}" for number in range(len(self.taken))]

    def _arms(self) -> str:
        asked = [self.wanted, *(_condition(each) for each in self.totals)]
        return f"array({', '.join(f'IF({each}, {number}, -1)' for number, each in enumerate(asked))})"

    def _keys(self) -> list[str]:
        own = ("offset", "ordinal", "sign", *self._words())
        return [
            "arm",
            "relation",
            *(f"IF(arm = 0, {name}, 0) AS {name}" for name in own),
            f"{_by_arm('at', [_pane(each) for each in self.totals])} AS at",
            *(f"{_by_arm(lane, [_lane(each, lane) for each in self.totals])} AS {lane}" for lane in EMPTY),
            "IF(arm = 0, CAST(doubles AS ARRAY<STRING>), NULL) AS doubles",
        ]

    def _measured(self) -> list[str]:
        """Compute each measure in the arms of its relation, where its lanes are."""
        found = []
        for number, (relation, text) in enumerate(self.measures):
            found.append(f"IF(arm > 0 AND relation = {quoted(relation)}, {text}, NULL) AS m{number}")
        return found

    def split(self, batches: Sequence[pa.RecordBatch]) -> Piece:
        rows: list[tuple[Any, ...]] = []
        totals: dict[StreamFragment, list[Reading]] = {each: [] for each in self.totals}
        width = 1 + len(self.columns)
        for arm, *values in (row for batch in batches for row in tuples(batch)):
            if arm == 0:
                values[DOUBLES] = [None if each is None else float(each) for each in values[DOUBLES]]
                rows.append(tuple(values[: width - 1]))
            else:
                fragment = self.totals[arm - 1]
                row = self._reads[arm - 1](values[: width - 1], values[width - 1 :])
                totals[fragment].append(Reading(fragment.relation, 1, row, 0, 0, values[ROW.index("at")]))
        piece = self.given(sorted(rows, key=lambda row: row[:2]))
        return piece._replace(rows={**piece.rows, **totals})


def _by_arm(own: str, others: list[str]) -> str:
    arms = " ".join(f"WHEN {number} THEN {text}" for number, text in enumerate(others, 1))
    return f"CASE arm WHEN 0 THEN {own} {arms} END"


def _condition(fragment: TotalFragment) -> str:
    """Say which rows a total is made of; another relation's have other lanes."""
    where = "TRUE" if fragment.where is None else fragment.where
    return f"CASE WHEN relation = {quoted(fragment.relation)} THEN {where} ELSE FALSE END"


def _pane(fragment: TotalFragment) -> str:
    pane = fragment.pane
    return "0L" if pane is None else f"(at + {pane - 1}L) div {pane}L * {pane}L"


def _lane(fragment: TotalFragment, lane: str) -> str:
    where = places(fragment.columns)
    found = [where[i].number for i in fragment.groups if where[i].lane == lane]
    return f"array({', '.join(f'{lane}[{number}]' for number in found)})" if found else EMPTY[lane]


def measure(fragment: TotalFragment, call: AggregateCall) -> tuple[str, str] | None:
    """Return what a total is computed of: a BIGINT, with the relation in whose lanes it lies."""
    if call.argument is None:
        return None
    assert isinstance(call.argument, Field)
    place = places(fragment.columns)[call.argument.position]
    value = f"{place.lane}[{place.number}]"
    return fragment.relation, value if place.lane == "longs" else f"IF({value} IS NULL, NULL, 1L)"


def reader(
    fragment: TotalFragment, measures: Sequence[tuple[str, str]]
) -> Callable[[Sequence[Any], Sequence[Any]], Row]:
    """Return what reads a total's row out of the keys of its group and the parts of all measures."""
    gather = from_lanes(fragment.keys)
    longs, texts = ROW.index("longs"), ROW.index("texts")
    picks = []
    for call in fragment.calls:
        asked = measure(fragment, call)
        picks.append((call.function, None if asked is None else 1 + len(PARTS) * measures.index(asked)))

    def read(keys: Sequence[Any], parts: Sequence[Any]) -> Row:
        return (*gather(keys[longs], (), keys[texts]), *(picked(parts, *pick) for pick in picks))

    return read


def picked(parts: Sequence[Any], function: str, first: int | None) -> Any:
    """Return a call's value, of the count of rows or of five parts of a measure."""
    if first is None:
        return parts[0]
    count, upper, lower, low, high = parts[first : first + len(PARTS)]
    if function == "sum":
        return None if upper is None else (upper << 32) + lower
    return {"count": count, "min": low, "max": high}[function]
