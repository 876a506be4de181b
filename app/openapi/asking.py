"""Views, queries, statements, plans, and why a row is there."""

from app.bodies import MAX_MOST, MAX_SQL
from app.openapi.operation import LINES, Answer, Asked, Operation, Operations, answers
from app.openapi.plans import TICKS
from app.openapi.shapes import (
    ANYTHING,
    CELL,
    COLUMNS,
    COUNT,
    FILLED,
    FLAG,
    NUMBER,
    ROW,
    TEXT,
    WHOLE,
    Schema,
    array,
    body,
    by_name,
    either,
    maybe,
    one_of,
    part,
    record,
    text,
    whole,
)
from app.why_asked import FORMS, MOST_LISTED, MOST_RATES

SQL = text(MAX_SQL, "StreamSQL")
PARAMETER = {"type": ["string", "number", "boolean", "null"]}
PARAMETERS = {**by_name(PARAMETER), "maxProperties": 100, "description": "the values of :name in the text"}
VIEW = record(name=TEXT, columns=COLUMNS, sql=TEXT, rows=COUNT, suspended=maybe(TEXT), missing=array(TEXT))
BASE_ROW = record(
    {
        "site": TEXT,
        "columns": COLUMNS,
        "of": array(TEXT),
        "parts": array(record(relation=TEXT, known=by_name(CELL))),
        "totals_of": TEXT,
        "came": COUNT,
        "topic": TEXT,
    },
    relation=TEXT,
    row=ROW,
)
LACK = record(
    reason=one_of("no row", "a condition", "another value", "outranked", "blocked", "cut off"),
    of=TEXT,
    wanted=by_name(CELL),
    found=array(ROW),
    condition=TEXT,
    by=array(part("BaseRow")),
)
ABSENT = record(relation=TEXT, key=ROW, truncated=FLAG, missing=array(part("Lack")))
WHY = record(
    {
        "looked_since": maybe(COUNT),
        "probability": record(low=NUMBER, high=NUMBER, exact=FLAG),
    },
    view=TEXT,
    tick=COUNT,
    row=ROW,
    witness=array(part("BaseRow")),
    absent=array(ABSENT),
    count=COUNT,
    truncated=FLAG,
    derivations=array(array(part("BaseRow"))),
    cuts=array(array(part("BaseRow"))),
)
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
PROV = {"type": "object", "description": "PROV-JSON of the W3C", "required": ["prefix", "entity"]}
WHY_NOT = record(view=TEXT, tick=COUNT, row=ROW, truncated=FLAG, missing=array(part("Lack")))
PLAN = record(plan=either(TEXT, part("Plan")))
OUTCOME = either(
    record(
        {"rows": COUNT},
        done=one_of("created", "replaced", "kept", "dropped", "inserted", "deleted"),
        kind=one_of("view", "stream", "table", "rows"),
        names=array(TEXT),
    ),
    record({"missing": array(TEXT)}, columns=COLUMNS, rows=array(ROW), more=COUNT),
    PLAN,
    record(why=either(part("Why"), part("WhyNot"))),
)
RELATION = record(
    {"key": array(TEXT), "window": maybe(TEXT), "source": maybe(TEXT)}
    | {"text": TEXT, "rows": COUNT, "suspended": maybe(TEXT)},
    name=TEXT,
    kind=one_of("stream", "table", "view"),
    columns=COLUMNS,
)
SAVED = record(
    id=TEXT, of=TEXT, name=TEXT, text=TEXT, language=one_of("streamsql", "datalog"), shared=FLAG, at=WHOLE,
    mine=FLAG, changes=FLAG,
)  # fmt: skip
CHECKED = either(
    record(use=one_of("nothing", "query", "read", "change")),
    record({"span": part("Span")}, use={"type": "null"}, error=TEXT),
)

PARTS: dict[str, Schema] = {
    "View": VIEW,
    "BaseRow": BASE_ROW,
    "Lack": LACK,
    "Why": WHY,
    "WhyNot": WHY_NOT,
    "Outcome": OUTCOME,
    "Saved": SAVED,
}

OPERATIONS: Operations = {
    "GET /api/views": Operation("Every view that one may watch.", answers(array(part("View")))),
    "POST /api/views": Operation(
        "Make a view for everybody by CREATE VIEW, or drop some by DROP VIEW.",
        {
            201: Answer("made", record(view=TEXT)),
            200: Answer("dropped", record(dropped=TEXT)),
        },
        body=body(sql=SQL),
    ),
    "GET /api/views/<name>/plan": Operation(
        "How a view is run, with what its nodes have done so far, and whether ticks keep up.",
        answers(record(plan=part("Plan"), ticks=maybe(TICKS))),
        asks=(Asked("weighs", "no leaves out what else could run", one_of("yes", "no")),),
    ),
    "POST /api/explain": Operation(
        "How a query would be run.",
        answers(PLAN),
        body=body({"parameters": PARAMETERS, "format": one_of("text", "json")}, sql=SQL),
    ),
    "POST /api/statements": Operation(
        "Carry out a text of statements; what makes, drops or writes something needs an admin.",
        answers(record(outcomes=array(part("Outcome"))), "one outcome for each statement"),
        body=body({"parameters": PARAMETERS}, sql=SQL),
    ),
    "POST /api/why": Operation(
        "Why a row of a view is there; where every column is said and there is no such row, why not.",
        answers(either(part("Why"), part("WhyNot"), PROV)),
        body=body(
            {
                "where": by_name(ANYTHING),
                "listed": whole(1, MOST_LISTED),
                "deeper": FLAG,
                "rates": {**by_name(SHARE), "maxProperties": MOST_RATES},
                "format": one_of(*FORMS),
            },
            view=text(MAX_SQL),
        ),
    ),
    "POST /api/query": Operation(
        "Follow a query: a line with its rows, then a line for each change, until the reader leaves.",
        {200: Answer("lines of JSON, without end", media={LINES: TEXT})},
        body=body({"parameters": PARAMETERS, "most": whole(1, MAX_MOST)}, sql=SQL),
        refuses={503: "so many queries are followed already; stop one"},
    ),
    "POST /api/check": Operation(
        "What a text is good for, or what is wrong with it; nothing is carried out.",
        answers(CHECKED),
        body=body(sql={"type": "string", "maxLength": MAX_SQL}),
    ),
    "GET /api/schema": Operation(
        "What a text can name.",
        answers(record(relations=array(RELATION), functions=array(record(name=TEXT, takes=TEXT)))),
    ),
    "GET /api/saved": Operation(
        "One's own saved queries, and those that others share.", answers(record(saved=array(part("Saved"))))
    ),
    "POST /api/saved": Operation(
        "Save a query; it replaces one's own of that name, which stays shared unless said.",
        answers(part("Saved"), "saved", 201),
        body=body(
            {"language": one_of("streamsql", "datalog"), "shared": FLAG}, name=text(80), text=text(MAX_SQL)
        ),
    ),
    "PATCH /api/saved/<identity>": Operation(
        "Share a saved query, or keep it to oneself.", answers(part("Saved")), body=body(shared=FLAG)
    ),
    "DELETE /api/saved/<identity>": Operation("Remove a saved query.", answers(record(removed=FILLED))),
}
