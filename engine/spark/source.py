"""The log as a Spark source: where it is read and decoded.

    local:    latestOffset → helper process: read(start) → Arrow, prefetched into the driver's JVM
    cluster:  latestOffset → helper process: how far a tick goes → ranges, read in the executors

The reader travels pickled; a process opens it once, at its first read. A read is bounded by the
reader itself, so catching up takes many ticks.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql.datasource import (
    DataSource,
    DataSourceStreamReader,
    InputPartition,
    SimpleDataSourceStreamReader,
)
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit
from pyspark.sql.types import StructType

from engine.model.reading import Batch, Reader
from engine.model.relation import Relation
from engine.spark.lanes import SCHEMA, Layout, layout, to_arrow

NAME = "smartcis_log"
WAIT_SECONDS = 0.2  # a read that finds nothing waits this long for something
POLL_SECONDS = 0.01
NARROWEST = 500  # entries, below which a range is not worth a task of its own

Offset = dict[str, int]


def log_source(reader: Reader, relations: Iterable[Relation], ranges: int) -> type[DataSource]:
    """Return the source that reads by ``reader``, in executors where there are ranges."""
    packed: bytes = cloudpickle.dumps((reader, tuple(relations)))

    class LogSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return NAME

        def schema(self) -> str:
            return SCHEMA

        def simpleStreamReader(self, schema: StructType) -> SimpleDataSourceStreamReader:
            return LogStream(packed, int(self.options["start"]))

        if ranges:

            def streamReader(self, schema: StructType) -> DataSourceStreamReader:
                return RangedLogStream(packed, int(self.options["start"]), ranges)

    return LogSource


class Prefetched(list[pa.RecordBatch]):
    """What a read found, until the next read: Spark remembers it for longer than it needs it."""


class LogStream(SimpleDataSourceStreamReader):
    """Reads in one process beside the driver; nothing is read twice."""

    def __init__(self, packed: bytes, start: int) -> None:
        self._packed = packed
        self._start = start
        self._sent = Prefetched()

    def initialOffset(self) -> Offset:
        return {"offset": self._start}

    def read(self, start: Offset) -> tuple[Iterator[Any], Offset]:
        self._sent.clear()
        reader, rows = _open(self._packed)
        batch = _wait_for_more(reader, start["offset"])
        if batch.end == start["offset"]:
            return iter(()), start
        self._sent = Prefetched([to_arrow(start["offset"], batch, rows)])
        return self._sent, {"offset": batch.end}  # type: ignore[return-value]

    def readBetweenOffsets(self, start: Offset, end: Offset) -> Iterator[Any]:
        return _read_range(self._packed, start["offset"], end["offset"], at=None)


class LogRange(InputPartition):
    """What one executor reads of a tick; the last range of a tick says its time."""

    def __init__(self, start: int, end: int, at: int | None) -> None:
        self.start = start
        self.end = end
        self.at = at


class RangedLogStream(DataSourceStreamReader):
    """Reads in executors, each a range of offsets; only how far a tick goes is found beside the driver."""

    def __init__(self, packed: bytes, start: int, ranges: int) -> None:
        self._packed = packed
        self._start = start
        self._ranges = ranges

    def initialOffset(self) -> Offset:
        return {"offset": self._start, "at": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadAllAvailable()

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        reader, _ = _open(self._packed)
        batch = _wait_for_more(reader, start["offset"])
        return start if batch.end == start["offset"] else {"offset": batch.end, "at": batch.at}

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        first, last = start["offset"], end["offset"]
        width = max(NARROWEST, -(-(last - first) // self._ranges))
        cuts = [*range(first, last, width), last]
        return [LogRange(low, high, end["at"] if high == last else None) for low, high in pairwise(cuts)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, LogRange)
        return _read_range(self._packed, partition.start, partition.end, partition.at)


@lru_cache(maxsize=2)
def _open(packed: bytes) -> tuple[Reader, Layout]:
    reader, relations = cloudpickle.loads(packed)
    return reader, layout(relations)


def _wait_for_more(reader: Reader, start: int) -> Batch:
    """Read; with nothing there, look again until the time is up."""
    pause = threading.Event()
    deadline = time.monotonic() + WAIT_SECONDS
    while (batch := reader.read(start)).end == start and time.monotonic() < deadline:
        pause.wait(POLL_SECONDS)
    return batch


def _read_range(packed: bytes, start: int, end: int, at: int | None) -> Iterator[pa.RecordBatch]:
    """Yield exactly the readings in ``(start, end]``, however far single reads go."""
    reader, rows = _open(packed)
    while start < end:
        batch = reader.read(start)
        if batch.end > end:
            readings = [reading for reading in batch.readings if reading.offset <= end]
            batch = batch._replace(readings=readings, end=end)
        yield to_arrow(start, batch._replace(at=batch.at if at is None else at), rows)
        start = batch.end
