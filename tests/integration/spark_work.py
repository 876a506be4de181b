"""A driver on a Spark master: squares numbers on the executors and prints which processes did it.

python -m tests.integration.spark_work spark://127.0.0.1:7077
"""

import os
import sys

from pyspark.sql import SparkSession


def main(master: str) -> None:
    """Runs one job whose work is done by Python workers of the executors."""
    session = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
    context = session.sparkContext
    squares = context.parallelize(range(10), 2).map(lambda number: number * number).sum()
    executors = context._jsc.sc().getExecutorMemoryStatus().size() - 1
    sys.stdout.write(f"squares={squares} executors={executors} driver={os.getpid()}\n")
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1])
