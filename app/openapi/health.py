"""How SmartCIS itself does: alive, ready, sources, losses, ticks."""

from app.openapi.operation import PLAIN, Answer, Operation, Operations, answers
from app.openapi.shapes import (
    COUNT,
    FLAG,
    MOMENT,
    NUMBER,
    TEXT,
    WRITTEN_MOMENT,
    Schema,
    array,
    by_name,
    maybe,
    one_of,
    record,
)

ALIVE = record(status=one_of("ok"), run=TEXT, tick=COUNT, lag=NUMBER, sources=by_name(FLAG))
STALE = record(status=one_of("stale"), reason=TEXT, run=TEXT, tick=COUNT, lag=NUMBER, sources=by_name(FLAG))
READY = record(status=one_of("ready"))
MISSING = record(status=one_of("missing"), missing=by_name(TEXT))
TICK = record(tick=COUNT, offset=COUNT, at=MOMENT, rows=COUNT, began=MOMENT, closed=MOMENT)
SITE = record(site=TEXT, state=TEXT, since=maybe(WRITTEN_MOMENT), problem=maybe(TEXT))
SOURCE = record(source=TEXT, state=TEXT, delivers=FLAG, since=maybe(MOMENT))

PARTS: dict[str, Schema] = {"Tick": TICK, "Site": SITE, "Source": SOURCE}

OPERATIONS: Operations = {
    "GET /healthz": Operation(
        "Is it alive? Ticks flow while the last is younger than three seconds.",
        {200: Answer("ticks flow", ALIVE), 503: Answer("they do not, with the reason", STALE)},
    ),
    "GET /readyz": Operation(
        "Is it ready? Views flow and are caught up, the databases answer, the broker is connected.",
        {200: Answer("ready", READY), 503: Answer("what is missing, each with why", MISSING)},
    ),
    "GET /metrics": Operation(
        "What Prometheus collects.",
        {200: Answer("Prometheus's text form", media={PLAIN: TEXT})},
    ),
    "GET /openapi.json": Operation(
        "This description.", answers({"type": "object"}, "an OpenAPI 3.1 document")
    ),
    "GET /api/sources": Operation(
        "How each source does: ok, or what is wrong with it.", answers(by_name(TEXT), "by name")
    ),
    "GET /api/losses": Operation(
        "How many messages of each stream are not in the log, since it began.",
        answers(array(record(stream=TEXT, cause=one_of("shed", "gap"), messages=COUNT))),
    ),
    "GET /api/windows": Operation(
        "Of each window that goes by event time, how many rows came too late, and how many wait.",
        answers(array(record(window=TEXT, late=COUNT, waiting=COUNT))),
    ),
    "GET /api/sites": Operation(
        "How each gateway and database does that computes parts of queries.",
        answers(array(SITE)),
    ),
    "GET /api/ticks": Operation(
        "When each of the last ticks was read, run and closed.",
        answers(record(ticks=array(TICK)), "oldest first"),
    ),
    "GET /api/system": Operation(
        "How each source does, and since when.", answers(record(sources=array(SOURCE)))
    ),
}
