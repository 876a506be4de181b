"""One pass for all fragments: which of those that ask something take a row is one bitset, computed beside it.

    seats, dark = (seats), (lights where doubles[0] < 50)
    taken   =  CASE relation WHEN 'lights' THEN IF(doubles[0] < 50, 1L, 0L) … ELSE 0L END
    wanted  =  relation IN ('seats', …) OR taken <> 0

Who takes all rows of a relation is known by its name. A row is collected once, however many fragments take
it, and not at all when none does. A tick's cost so grows with rows and distinct predicates, not with views.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from engine.model.errors import InternalError
from engine.model.lanes import from_lanes
from engine.model.reading import Reading
from engine.plan.leaves import StreamFragment
from engine.plan.render import quoted
from engine.spark.lanes import MARKER

WORD = 62  # bits of a BIGINT that are safely ours
ROW = ("offset", "ordinal", "at", "relation", "sign", "longs", "doubles", "texts")


class Piece(NamedTuple):
    """The log in ``(start, end]``, as the fragments take it."""

    start: int
    end: int
    at: int
    rows: Mapping[StreamFragment, list[Reading]]


class OnePass:
    """The pass for one set of fragments; a value to be kept while the set stays."""

    def __init__(self, fragments: Sequence[StreamFragment]) -> None:
        self.wanted_by = tuple(fragments)
        self.fragments = tuple(dict.fromkeys(fragments))
        self._whole: dict[str, list[StreamFragment]] = {MARKER: []}
        for each in self.fragments:
            if each.where is None:
                self._whole.setdefault(each.relation, []).append(each)
        self._asking = tuple(each for each in self.fragments if each.where is not None)
        words = range(0, len(self._asking), WORD)
        self.taken = tuple(f"{self._word(first)} AS taken{first // WORD}" for first in words)
        wanted = [f"taken{number} <> 0" for number in range(len(self.taken))]
        self.columns = (*ROW, *self.taken)
        self.wanted = " OR ".join([f"relation IN ({', '.join(map(quoted, self._whole))})", *wanted])
        self._gather = {fragment.relation: from_lanes(fragment.columns) for fragment in self.fragments}

    def frame(self, batch: Any, to_seq: Any, _expression: Any) -> Any:
        """Return the pass over a micro-batch, in the JVM."""
        return batch.selectExpr(to_seq(list(self.columns))).where(self.wanted)

    def _word(self, first: int) -> str:
        bits: dict[str, list[str]] = defaultdict(list)
        for place, fragment in enumerate(self._asking[first : first + WORD]):
            bits[fragment.relation].append(f"IF({fragment.where}, {1 << place}L, 0L)")
        arms = [f"WHEN {quoted(relation)} THEN {' | '.join(terms)}" for relation, terms in bits.items()]
        return f"CASE relation {' '.join(arms)} ELSE 0L END"

    def split(self, batches: Sequence[pa.RecordBatch]) -> "Piece":
        """Give each fragment its readings."""
        return self.given(row for batch in batches for row in tuples(batch))

    def given(self, found: Iterable[tuple[Any, ...]]) -> "Piece":
        """Give each fragment its readings of the rows that came."""
        markers: list[tuple[int, int, int]] = []
        rows: dict[StreamFragment, list[Reading]] = {fragment: [] for fragment in self.fragments}
        for offset, ordinal, stamp, relation, sign, longs, doubles, texts, *taken in found:
            if relation == MARKER:
                markers.append((longs[0], offset, stamp))
                continue
            row = self._gather[relation](longs, doubles, texts)
            reading = Reading(relation, sign, row, offset, ordinal, stamp)
            for fragment in self._whole.get(relation, ()):
                rows[fragment].append(reading)
            for fragment in self._taking(taken):
                rows[fragment].append(reading)
        if not markers:
            message = "a micro-batch came without its marker; what it read is unknown"
            raise InternalError(message)
        starts, ends, stamps = zip(*markers, strict=True)
        return Piece(min(starts), max(ends), max(stamps), rows)

    def _taking(self, taken: Sequence[int]) -> list[StreamFragment]:
        found = []
        for word, bits in enumerate(taken):
            while bits:
                lowest = bits & -bits
                found.append(self._asking[word * WORD + lowest.bit_length() - 1])
                bits ^= lowest
        return found


def tuples(batch: pa.RecordBatch) -> "zip[tuple[Any, ...]]":
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)
