"""Partitions at executors, job after job: a cached block of nothing keeps each where it is.

    anchor[p]  cached at an executor   →   every job that is narrow on it runs p's task there

A union of the anchor with what is shuffled would prefer its host alone, which executors may share; what is
shuffled *less* the anchor, of which nothing is taken, prefers no host, so the scheduler goes by the cached
block. An executor that is lost takes its blocks along, and its partitions go elsewhere.

The pair RDDs are Spark's own, reached as pyspark itself does: its Python ones are not narrow on an anchor.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast
from weakref import WeakKeyDictionary

from pyspark import RDD, SparkContext
from pyspark.serializers import BatchedSerializer, pack_long

from engine.partitions.hashing import Partition

SHARED_OUT_SECONDS = 0.3  # a task that ends at once lets the first executor that is there take them all
_known: "WeakKeyDictionary[SparkContext, dict[int, Places]]" = WeakKeyDictionary()
Work = Callable[[Partition, Iterable[bytes]], Iterator[Any]]
Sends = Callable[[Partition], Iterable[tuple[Partition, bytes]]]


def places_of(context: SparkContext, partitions: int) -> "Places":
    """Return the places of so many partitions, the same for all plans while the context lives."""
    known = _known.setdefault(context, {})
    if partitions not in known:
        known[partitions] = Places(context, partitions)
    return known[partitions]


class Places:
    """As many places as there are partitions."""

    def __init__(self, context: SparkContext, partitions: int) -> None:
        self._context = context
        self._raw = context._unbatched_serializer
        self._jvm = cast(Any, context._jvm)
        self._partitioner = self._jvm.PythonPartitioner(partitions, id(self))
        nothing = self._raw.dumps([])

        def mark(number: Partition, _: Iterable[Any]) -> Iterator[bytes]:
            threading.Event().wait(SHARED_OUT_SECONDS)
            yield pack_long(number + partitions)  # of this partition, and no key of what is ever sent
            yield nothing

        slots = context.parallelize(range(partitions), partitions).mapPartitionsWithIndex(mark)
        memory = self._jvm.org.apache.spark.storage.StorageLevel.MEMORY_ONLY()
        self._anchor = self._pairs(slots).partitionBy(self._partitioner).persist(memory)
        self._anchor.count()

    def run(self, work: Work) -> list[Any]:
        """Do something at every place."""
        return self._values(self._anchor).mapPartitionsWithIndex(all_read(work)).collect()

    def run_shuffled(self, sends: Sends, work: Work) -> list[Any]:
        """Have every place send, and then do something with what it was sent."""
        raw = self._raw

        def sent(number: Partition, _: Iterable[bytes]) -> Iterator[bytes]:
            for receiver, content in sends(number):
                yield pack_long(receiver)
                yield raw.dumps([content])

        moved = self._pairs(self._values(self._anchor).mapPartitionsWithIndex(all_read(sent)))
        return (
            self._values(moved.subtractByKey(self._anchor, self._partitioner))
            .mapPartitionsWithIndex(all_read(work))
            .collect()
        )

    def _pairs(self, rdd: Any) -> Any:
        """Return an RDD of keys and values in turn as one of pairs."""
        rdd._bypass_serializer = True
        return self._jvm.PairwiseRDD(rdd._jrdd.rdd()).asJavaPairRDD()

    def _values(self, pairs: Any) -> RDD[Any]:
        values = self._jvm.PythonRDD.valueOfPair(pairs)
        return RDD(values, self._context, BatchedSerializer(self._raw))


def all_read(work: Work) -> Work:
    """Have a task read all that it is given: a Python worker that leaves something is not used again.

    The next one would import all of ours anew, which takes longer than most rounds do.
    """

    def worked(number: Partition, given: Iterable[bytes]) -> Iterator[Any]:
        yield from work(number, list(given))

    return worked
