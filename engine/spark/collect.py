"""From a micro-batch in the JVM to Arrow batches in Python, by as few calls between them as possible.

Each call costs more than a small tick's rows, and pyspark's DataFrame makes a dozen around every
batch; so this speaks to the JVM's Dataset itself and keeps what a pass needs there between ticks.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.pandas.serializers import ArrowCollectSerializer
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.util import _load_from_socket

from engine.spark.one_pass import OnePass


class MicroBatches:
    """The function that the query calls with each micro-batch."""

    def __init__(self, on_batch: Callable[[Any], None]) -> None:
        self._on_batch = on_batch

    def attach(self, session: SparkSession, writer: DataStreamWriter) -> None:
        """Have the writer's query call us."""
        gateway: Any = session.sparkContext._gateway
        helper = gateway.jvm.org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchHelper
        helper.callForeachBatch(writer._jwrite, self)
        ensure_callback_server_started(gateway)

    def call(self, batch: Any, _number: int) -> None:
        self._on_batch(batch)

    class Java:
        """How py4j knows what we are to the JVM."""

        implements = ("org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchFunction",)


class Collector:
    """Runs passes over micro-batches of one session."""

    def __init__(self, session: SparkSession) -> None:
        self._jvm: Any = session.sparkContext._jvm
        self._pass: OnePass | None = None
        self._columns: Any = None

    def collect(self, one_pass: OnePass, batch: Any) -> list[pa.RecordBatch]:
        """Return the rows that some fragment takes, and the marker, in the log's order."""
        if one_pass is not self._pass:
            self._columns = self._sequence(one_pass.columns)
            self._pass = one_pass
        result = batch.selectExpr(self._columns).where(one_pass.wanted)
        port, secret, server = result.collectAsArrowToPython()
        try:
            with _load_from_socket((port, secret), ArrowCollectSerializer()) as batches:
                return list(batches)
        finally:
            server.getResult()

    def _sequence(self, texts: Sequence[str]) -> Any:
        return self._jvm.PythonUtils.toSeq(list(texts))
