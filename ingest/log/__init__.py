"""The acquisition log: what was received, durable, in one order, to be read again and again.

log         append, read, trim: one object a URL
rows        its rows as values, and how a transaction writes and reads them
schema      its tables, and how a connection to them is opened
writer      one thread that commits in groups what many submit
retention   what of a stream goes sooner than the log
check       is it what it promises to be?          (smartcis log verify)
compact     let go of what nobody needs            (smartcis log compact)
files       its tables as lines, for a backup of what is no file
"""

from ingest.log.log import REDELIVERY_TAIL, Log
from ingest.log.rows import (
    CLOCK_ENTRY,
    CLOCK_SOURCE,
    DECLARED_SOURCE,
    MQTT_SOURCE,
    REGISTRY_SOURCE,
    START,
    Announced,
    Entry,
    Position,
    Record,
    StateChange,
    is_announcement,
)

__all__ = [
    "CLOCK_ENTRY",
    "CLOCK_SOURCE",
    "DECLARED_SOURCE",
    "MQTT_SOURCE",
    "REDELIVERY_TAIL",
    "REGISTRY_SOURCE",
    "START",
    "Announced",
    "Entry",
    "Log",
    "Position",
    "Record",
    "StateChange",
    "is_announcement",
]
