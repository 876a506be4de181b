"""Ways for visitors: what may be wished for, the view of a wish, what is held, a way for a phone."""

from app.handover import PACES
from app.openapi.operation import Operation, Operations, answers
from app.openapi.shapes import (
    COLUMNS,
    FLAG,
    MOMENT,
    TEXT,
    WHOLE,
    WRITTEN_MOMENT,
    Schema,
    array,
    body,
    maybe,
    one_of,
    record,
    text,
)
from app.ways.holding import REASONS
from app.ways.routes import MAX_NAME

KINDS = one_of("machine", "desk", "room", "to")
NAMED = record(id=TEXT, name=TEXT)
WISHED: dict[str, Schema] = {
    "software": maybe(TEXT),
    "equipment": maybe(TEXT),
    "to": {**TEXT, "description": "the id or name of a room, desk, machine or device, for the kind to"},
    "step_free": FLAG,
}
WISH = body(WISHED, kind=KINDS)
NAME = text(MAX_NAME)
HANDED = {
    **body({"hold": maybe(TEXT), "pace": one_of(*PACES)}, wish=WISH),
    "properties": {"wish": WISH, "from": text(200), "hold": maybe(TEXT), "pace": one_of(*PACES)},
    "required": ["wish", "from"],
}

PARTS: dict[str, Schema] = {}

OPERATIONS: Operations = {
    "GET /api/ways/wishes": Operation(
        "What visitors may look for, from the tables as they are.",
        answers(
            record(
                kinds=array(KINDS),
                software=array(TEXT),
                equipment=array(TEXT),
                rooms=array(NAMED),
                devices=array(NAMED),
            )
        ),
    ),
    "POST /api/ways": Operation(
        "The view of a wish, one for all who wish the same.",
        answers(record(view=TEXT, columns=COLUMNS)),
        body=WISH,
        refuses={503: "so many wishes are followed already"},
    ),
    "POST /api/holds": Operation(
        "Keep the nearest that fits for five minutes.",
        answers(
            record(hold=TEXT, kind=TEXT, target=TEXT, seconds=WHOLE, until=WRITTEN_MOMENT, view=TEXT),
            "kept",
            201,
        ),
        body={
            "type": "object",
            "properties": {**WISHED, "kind": KINDS, "from": NAME, "kiosk": NAME},
            "required": ["kind", "from", "kiosk"],
        },
        refuses={
            409: "nothing that fits is free",
            429: "the kiosk holds as many as it may",
            503: "so many wishes are followed already",
        },
    ),
    "DELETE /api/holds/<hold>": Operation(
        "End a hold: its visitor has arrived, or goes elsewhere.",
        answers(record(hold=TEXT, state=TEXT), "how it ended"),
        body=body(reason=one_of(*REASONS)),
        refuses={404: "there is no such hold any more"},
    ),
    "POST /api/handovers": Operation(
        "Hand a way to a phone, as a code to be scanned.",
        answers(record(url=TEXT, qr=TEXT, until=MOMENT), "good until then", 201),
        body=HANDED,
        refuses={409: "no phone could come here, with the reason"},
    ),
    "POST /api/way": Operation(
        "The view of the way that was handed over; of the way that the body says, for all others.",
        answers(record(view=TEXT)),
        body=HANDED,
        refuses={503: "so many wishes are followed already"},
    ),
}
