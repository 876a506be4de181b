"""The past of views."""

from app.openapi.operation import CSV, Answer, Asked, Operation, Operations, answers
from app.openapi.shapes import (
    CELL,
    COLUMNS,
    COUNT,
    GAP,
    MOMENT,
    NUMBER,
    ROW,
    TEXT,
    WHOLE,
    Schema,
    array,
    by_name,
    maybe,
    named,
    one_of,
    part,
    record,
    whole,
)

TIME: Schema = {
    "type": "string",
    "description": "a moment in ISO 8601, microseconds since 1970, or how long ago it was, such as 24 hours",
    "examples": ["2026-01-31T09:30:00Z", "24 hours"],
}
FROM, TO = Asked("from", "its begin", TIME), Asked("to", "its end; now unless said", TIME)
FORMAT = Asked("format", "csv for a table", one_of("json", "csv"))
STATE = record(view=TEXT, at=MOMENT, columns=COLUMNS, rows=array(ROW), gap=maybe(GAP))
NUMBERS, COUNTS = array(maybe(NUMBER)), array(COUNT)
FIGURES = record(
    {"min": array(CELL), "max": array(CELL), "mean": NUMBERS, "mean_over_time": NUMBERS},
    count=COUNTS,
    changes=COUNTS,
    first=array(CELL),
    last=array(CELL),
    held=array(CELL),
)
STRETCH = named(
    {
        "view": TEXT,
        "from": MOMENT,
        "to": MOMENT,
        "until": MOMENT,
        "width": WHOLE,
        "level": one_of("turns", "minutes", "hours"),
        "key": COLUMNS,
        "columns": COLUMNS,
        "gaps": array(GAP),
        "at": array(MOMENT),
        "series": array(record(key=ROW, columns=array(FIGURES))),
    }
)
SPAN = named({"from": maybe(MOMENT), "until": maybe(MOMENT), "gaps": array(GAP), "views": array(TEXT)})

PARTS: dict[str, Schema] = {"State": STATE, "Stretch": STRETCH}

OPERATIONS: Operations = {
    "GET /api/views/<name>/at": Operation(
        "A view as it was; needs the role of the view itself.",
        {200: Answer("its rows", part("State"), {CSV: TEXT})},
        asks=(Asked("t", "when; now unless said", TIME), FORMAT),
    ),
    "GET /api/views/<name>/history": Operation(
        "How the values of a view went, in few points; a day up to now unless told otherwise.",
        {200: Answer("a figure for each point, column and series", part("Stretch"), {CSV: TEXT})},
        asks=(
            FROM,
            TO,
            Asked("points", "at most so many", whole(2, 10_000, 500)),
            Asked("column", "only this one", TEXT, many=True),
            Asked("key", "only the series with this value, such as room=1.01", TEXT, many=True),
            FORMAT,
        ),
    ),
    "GET /api/past": Operation(
        "Since when and up to when there is a past of what the map shows.", answers(SPAN)
    ),
    "GET /api/past/at": Operation(
        "Some views of the map as they were; untold says of the others why not.",
        answers(record(at=MOMENT, views=by_name(part("State")), untold=by_name(TEXT))),
        asks=(
            Asked("t", "when; now unless said", TIME),
            Asked("view", "one that the map shows", TEXT, needed=True, many=True),
        ),
    ),
}
