"""Which entries of a recording mean something elsewhere, and when each falls due.

    due = begun + (stamp − first stamp) / speed

Left out is what SmartCIS said of itself, and what gateways computed for queries of then: it is made anew, or
nobody is there to ask. Beside live gateways also how others were.
"""

import time
from collections.abc import Callable, Container, Iterator

from engine.model.clock import SECOND
from engine.model.errors import SourceError
from engine.model.itself import SELF
from ingest.declarations import FRAGMENT, read_declaration
from ingest.log import DECLARED_SOURCE, MQTT_SOURCE, Record
from ingest.sources import RESERVED

POSITION = "position"  # in the source's state: how many entries were replayed
MOST = 1_000
GATHER = 0.005  # seconds that an entry may come early, so that what is almost due together is one commit

Wait = Callable[[float], bool]


def is_replayed(record: Record, left_out: Container[str] = RESERVED) -> bool:
    """Tell whether an entry means something where it is replayed; gateways have topics of their own.

    An MQTT entry without a topic is a mark of this log alone: no session, or what is kept beside it.
    """
    if record.source == DECLARED_SOURCE:
        return not _declares_fragment(record)
    if record.source == MQTT_SOURCE:
        return bool(record.topic) and record.topic.partition("/")[0] not in left_out
    return record.source != SELF


def _declares_fragment(record: Record) -> bool:
    """Tell what an entry declares; one that cannot be read would stop whoever reads the log, for ever."""
    try:
        found = read_declaration(record.offset, record.payload)
    except Exception as error:  # it stands in a file that anybody may have written
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        msg = f"entry {record.offset} of the recording declares what cannot be read: {reason}"
        raise SourceError(msg) from error
    return found.is_fragment or found.name.startswith(f"{FRAGMENT}:")


def due_together(records: Iterator[Record], speed: float, wait: Wait) -> Iterator[list[Record]]:
    """Yield the entries as they fall due, those that are due already together; ``wait`` may end it."""
    first = next(records, None)
    if first is None:
        return
    begun, held = time.monotonic(), [first]
    for record in records:
        due = begun + (record.received - first.received) / SECOND / speed
        if due > time.monotonic() + GATHER or len(held) == MOST:
            yield held
            held = []
        left = due - time.monotonic()
        if left > GATHER and wait(left):
            return
        held.append(record)
    yield held
