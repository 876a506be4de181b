"""What goes into a recording: what stands when it begins, then each entry as the log gets it.

    declarations, announcements, rows of keyed sources   |   past, from a stamp on   |   what comes

What a device said before and does not repeat is in no recording, unless it reaches back that far.
"""

import json
from collections.abc import Callable, Collection, Iterator

from ingest.history import offset_at
from ingest.log import DECLARED_SOURCE, MQTT_SOURCE, Log, Position, Record

LOOK_SECONDS = 0.2
ROWS = 1_000  # in one entry of what stands


def standing(log: Log, begun: Position, sources: Collection[str]) -> Iterator[Record]:
    """Yield what a replay has to know of the time before an entry; all of it has that entry's place."""
    for offset, payload in log.declared():
        if offset <= begun.offset:
            name = str(json.loads(payload)["name"])
            yield from _wanted(sources, begun, DECLARED_SOURCE, name, payload)
    for offset, source, topic, payload in log.announced():
        if offset <= begun.offset:
            yield from _wanted(sources, begun, source, topic, payload)
    for source in log.sources_with_state():
        items = [(json.loads(item)[0], body) for item, body in log.state(source).items() if item[:1] == "["]
        for at in range(0, len(items), ROWS):
            changes = [[1, table, json.loads(body)] for table, body in items[at : at + ROWS]]
            payload = json.dumps({"changes": changes}).encode()
            yield from _wanted(sources, begun, source, "changes", payload)


def _wanted(
    sources: Collection[str], begun: Position, source: str, topic: str, payload: bytes
) -> Iterator[Record]:
    if not sources or source in sources or (source == DECLARED_SOURCE and MQTT_SOURCE in sources):
        yield Record(begun.offset, begun.received, source, topic, None, payload)


def record(
    log: Log, past: int, sources: Collection[str], goes_on: Callable[[float], bool]
) -> Iterator[Record]:
    """Yield a recording that begins ``past`` µs before now; ``goes_on`` waits, and tells whether to."""
    last = log.last()
    begin = _begin(log, past, last) if past else last
    if begin.offset:
        yield from standing(log, begin, sources)
    at = begin.offset
    while True:
        found = log.read(at)
        yield from (each for each in found if not sources or each.source in sources)
        at = found[-1].offset if found else at
        if at >= last.offset and not goes_on(0.0 if found else LOOK_SECONDS):
            return


def _begin(log: Log, past: int, last: Position) -> Position:
    """Return the place before the first entry of the past that is still there."""
    stamp = last.received - past
    first = log.read(0, max_rows=1)
    kept = first[0].offset - 1 if first else 0
    return Position(max(kept, offset_at(log, stamp, last.offset)), stamp)
