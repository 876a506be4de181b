"""The stream site: Spark reads the log, one micro-batch is one tick, one pass feeds all fragments.

    log ─Reader→ typed lanes (source) ─micro-batch→ one select for all fragments (one_pass)
        ─Arrow→ readings per fragment ─→ on_tick(TickInput)                            (feed)

``settings`` says how Spark is tuned and why, ``jvm`` owns the one JVM of the process, ``pace`` holds
ticks back while nobody watches, ``evaluate`` asks Spark for the value of one expression.

``partitions`` has the shares of views that outgrow the driver.

Architecture invariant: nothing else imports pyspark; nothing here knows views, and only shares operators.
"""

from engine.spark.feed import Health, SparkFeed, TickInput
from engine.spark.jvm import close_spark, open_spark
from engine.spark.partitions.carrier import SparkCarrier
from engine.spark.settings import SparkSettings

__all__ = [
    "Health",
    "SparkCarrier",
    "SparkFeed",
    "SparkSettings",
    "TickInput",
    "close_spark",
    "open_spark",
]
