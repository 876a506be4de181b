"""From a micro-batch in the JVM to Arrow batches in Python, at the least cost a tick can have.

    first tick of a pass:  select → analysed, optimised, planned  →  physical nodes, kept
    every tick:            batch's RDD → scan → kept nodes → Arrow → one job → bytes

A tick has a few rows, so planning them is most of the work: planned each time, a tick takes twice
the CPU and thrice the time. What a pass is does not depend on the batch, whose columns keep their
identity as long as the query runs; only the leaf changes.

For the same reason the job is ``collectAsync``: the other ways to collect have Spark read the code of
two large classes before each job, to see that the function it sends captures nothing.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.types import StructType

from engine.spark.haste import hasten
from engine.spark.one_pass import OnePass


class MicroBatches:
    """The function that the query calls with each micro-batch."""

    def __init__(self, on_batch: Callable[[Any], None]) -> None:
        self._on_batch = on_batch
        self._client: Any = None

    def attach(self, session: SparkSession, writer: DataStreamWriter) -> None:
        """Have the writer's query call us."""
        gateway: Any = session.sparkContext._gateway
        self._client = gateway._gateway_client
        helper = gateway.jvm.org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchHelper
        helper.callForeachBatch(writer._jwrite, self)
        ensure_callback_server_started(gateway)

    def call(self, batch: Any, _number: int) -> None:
        hasten(self._client.get_thread_connection())
        self._on_batch(batch)

    class Java:
        """How py4j knows what we are to the JVM."""

        implements = ("org.apache.spark.sql.execution.streaming.sources.PythonForeachBatchFunction",)


class Planned(NamedTuple):
    """A pass as the JVM holds it: ``nodes`` from the leaf up, without the leaf."""

    frame: Any
    nodes: Sequence[Any]
    leaf: Sequence[Any]
    schema: pa.Schema


class Collector:
    """Runs passes over the micro-batches of one query."""

    def __init__(self, session: SparkSession) -> None:
        jvm: Any = session.sparkContext._jvm
        # A name is looked up in every jar, so it is resolved once.
        self._to_seq = jvm.PythonUtils.toSeq
        self._scan = jvm.org.apache.spark.sql.execution.RDDScanExec
        self._expression = jvm.org.apache.spark.sql.functions.expr
        self._pass: OnePass | None = None
        self._planned: Planned | None = None

    def collect(self, one_pass: OnePass, batch: Any) -> list[pa.RecordBatch]:
        """Return the rows that some fragment takes, and the marker, in the log's order."""
        if one_pass is not self._pass or self._planned is None:
            self._planned = self._plan(one_pass, batch)
            self._pass = one_pass
        frame, nodes, (output, *others), schema = self._planned
        plan = self._scan(output, batch.queryExecution().analyzed().rdd(), *others)
        for node in nodes:
            plan = node.withNewChildren(self._to_seq([plan]))
        parts = frame.toArrowBatchRdd(plan).toJavaRDD().collectAsync().get()
        # By number: iterating over a Java list ends in an exception, which costs more than the tick.
        found = [parts.get(number) for number in range(parts.size())]
        return [pa.ipc.read_record_batch(pa.py_buffer(part), schema) for part in found]

    def _plan(self, one_pass: OnePass, batch: Any) -> Planned:
        frame = one_pass.frame(batch, self._to_seq, self._expression)
        node = frame.queryExecution().executedPlan()
        nodes: list[Any] = []
        while node.children().size():
            nodes.insert(0, node)
            node = node.children().head()
        scan = batch.queryExecution().executedPlan()
        leaf = (scan.output(), scan.name(), scan.outputPartitioning(), scan.outputOrdering(), scan.stream())
        return Planned(frame, nodes, leaf, _arrow_schema(frame.schema().json()))


def _arrow_schema(described: str) -> pa.Schema:
    return to_arrow_schema(StructType.fromJson(json.loads(described)))
