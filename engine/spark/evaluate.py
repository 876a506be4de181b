"""What Spark says an expression over lanes is worth: the stream site's side of the conformance tests."""

from collections.abc import Sequence

from engine.model.lanes import to_lanes
from engine.model.relation import Column
from engine.model.values import Row, Value
from engine.spark.jvm import open_spark
from engine.spark.settings import SparkSettings

SCHEMA = "number INT, longs ARRAY<BIGINT>, doubles ARRAY<DOUBLE>, texts ARRAY<STRING>"


def evaluate(
    settings: SparkSettings, text: str, columns: Sequence[Column], rows: Sequence[Row]
) -> list[Value]:
    """Return the value of the Spark SQL ``text`` for each row; a BOOLEAN comes as True or False."""
    lay = to_lanes(columns)
    laid = [(number, *lay(row)) for number, row in enumerate(rows)]
    frame = open_spark(settings).createDataFrame(laid, SCHEMA)
    answers = frame.selectExpr("number", f"{text} AS value").collect()
    return [answer.value for answer in sorted(answers, key=lambda answer: answer.number)]
