"""The log as a source, without a JVM: what its streams hand to Spark."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.datasource_internal import _SimpleStreamReaderWrapper, _streamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable
from pyspark.sql.types import StructType

from engine.model.errors import InternalError
from engine.model.reading import Batch, Reading
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.spark import source
from engine.spark.lanes import layout, to_arrow

SEATS = Relation("seats", RelationKind.STREAM, (Column("desk", Type.TEXT), Column("pressed", Type.BOOLEAN)))
END = 3_000


class Numbers:
    """Entry n is seat n; every third entry decodes to nothing, every fifth to two rows."""

    def __init__(self, bound: int = 700, *, declares: bool = False) -> None:
        self._bound, self._declares = bound, declares

    def read(self, start: int) -> Batch:
        end = min(start + self._bound, END)
        readings = [row for offset in range(start + 1, end + 1) for row in rows(offset)]
        return Batch(readings, end, 10 * end, (SEATS,) if self._declares else ())


def rows(offset: int) -> list[Reading]:
    count = 0 if offset % 3 == 0 else 2 if offset % 5 == 0 else 1
    return [
        Reading("seats", 1, (f"d{offset}", True), offset, ordinal, 10 * offset) for ordinal in range(count)
    ]


def stream(ranges: int, *, declares: bool = False) -> Any:
    known = [] if declares else [SEATS]
    made = source.log_source(Numbers(declares=declares), known, ranges)({"start": "0"})
    return _streamReader(made, StructType())


def entries(batches: Iterable[pa.RecordBatch]) -> list[tuple[int, int, int, str]]:
    table = pa.Table.from_batches(batches).to_pydict()
    columns = (table[name] for name in ("offset", "ordinal", "at", "relation"))
    return list(zip(*columns, strict=True))


def ticks(of: Any) -> Iterator[tuple[Any, Any]]:
    start = of.initialOffset()
    while (end := of.latestOffset(start, ReadAllAvailable())) != start:
        yield start, end
        start = end


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "WAIT_SECONDS", 0.0)


@pytest.mark.parametrize("declares", [False, True])
@pytest.mark.parametrize("ranges", [0, 1, 2, 7])
def test_every_row_is_read_once_and_a_tick_ends_with_its_marker(ranges: int, declares: bool) -> None:
    of = stream(ranges, declares=declares)
    found: list[tuple[int, int, int, str]] = []
    for start, end in ticks(of):
        parts = of.partitions(start, end)
        read = (
            of.getCache(start, end) if ranges == 0 else (batch for part in parts for batch in of.read(part))
        )
        tick = entries(read)
        assert tick[-1] == (end["offset"], 0, 10 * end["offset"], "")
        found += [entry for entry in tick if entry[3]]
    expected = [row for offset in range(1, END + 1) for row in rows(offset)]
    assert found == [(row.offset, row.ordinal, row.at, row.relation) for row in expected]


def test_what_spark_remembers_of_earlier_reads_is_empty() -> None:
    of = stream(0)
    assert isinstance(of, _SimpleStreamReaderWrapper)
    for start, end in ticks(of):
        assert of.getCache(start, end) is not None
    assert [len(entry.iterator) for entry in of.cache] == [0] * len(of.cache)


def test_a_small_tick_is_one_range() -> None:
    of = stream(4)
    assert len(of.partitions({"offset": 0, "at": 0}, {"offset": 400, "at": 4_000})) == 1
    assert len(of.partitions({"offset": 0, "at": 0}, {"offset": END, "at": 10 * END})) == 4


def test_a_row_of_no_known_relation_is_our_fault_and_is_named() -> None:
    with pytest.raises(InternalError, match="decoded a row of seats, which is not a relation"):
        to_arrow(0, Numbers().read(0), layout([]))
