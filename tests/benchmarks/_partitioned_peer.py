"""The peer: what is reachable, computed anew by a semi-naive loop of DataFrames in the same session.

    frontier  =  distinct(frontier ⋈ links)  ▷  visited        until it is empty

Links are cached by source, in the partitions that the loop joins in, before anything is timed. Each round
cuts the lineage, since a plan over plans that are only cached doubles every round; joins by hashing were
the quickest of those that were tried, and adaptive execution slower. Generated code is quicker than
interpreted where rows are many: both are tried, and the quicker counts.
"""

import time
from typing import Any, NamedTuple

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, count, sum

WAYS = (
    {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"},
    {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"},
)


class Recomputed(NamedTuple):
    """How long it took, in how many rounds, and what there is: a count and two sums."""

    seconds: float
    rounds: int
    told: tuple[int, int, int]


def recomputed(spark: SparkSession, links: Any, seeds: list[Any], partitions: int, tries: int) -> Recomputed:
    """Return the quickest of so many tries each way; the first of each only warms up."""
    as_it_was = {key: spark.conf.get(key) for key in (*WAYS[0], "spark.sql.shuffle.partitions")}
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    cached = (
        spark.createDataFrame(pd.DataFrame(links, columns=["x", "y"])).repartition(partitions, "x").cache()
    )
    cached.count()
    found = []
    try:
        for way in WAYS:
            for key, value in way.items():
                spark.conf.set(key, value)
            found += [reached(spark, cached, seeds) for _ in range(1 + tries)][1:]
    finally:
        cached.unpersist()
        for key, value in as_it_was.items():
            spark.conf.set(key, str(value))
    return min(found)


def reached(spark: SparkSession, links: DataFrame, seeds: list[Any]) -> Recomputed:
    started, rounds = time.perf_counter(), 0
    frontier = visited = spark.createDataFrame(seeds, "x bigint").repartition("x").localCheckpoint()
    while rounds == 0 or frontier.count():
        stepped = frontier.join(links.hint("shuffle_hash"), "x").select(col("y").alias("x")).distinct()
        frontier = stepped.join(visited.hint("shuffle_hash"), "x", "left_anti").localCheckpoint()
        visited = visited.unionByName(frontier).localCheckpoint()
        rounds += 1
    told = visited.agg(count("*"), sum("x"), sum(col("x") * col("x"))).first()
    assert told is not None
    return Recomputed(time.perf_counter() - started, rounds, tuple(told))
