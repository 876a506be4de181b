"""Alarms, who is told of them, and the form that writes a rule."""

from app.alarming.channels import LONGEST, NEEDED
from app.alarming.form import COMPARED
from app.alarming.rule import SEVERITIES
from app.openapi.operation import Answer, Asked, Operation, Operations, answers
from app.openapi.shapes import (
    CELL,
    COUNT,
    FLAG,
    MOMENT,
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

MOST_MINUTES = 30 * 24 * 60
ALARM: dict[str, Schema] = {
    "id": WHOLE,
    "view": TEXT,
    "name": TEXT,
    "row": by_name(CELL),
    "since": MOMENT,
    "until": maybe(MOMENT),
    "severity": one_of(*SEVERITIES),
    "flaps": COUNT,
    "acknowledged": maybe(MOMENT),
    "acknowledged_by": maybe(TEXT),
    "note": maybe(TEXT),
    "cleared": maybe(MOMENT),
    "cleared_by": maybe(TEXT),
    "escalated": maybe(MOMENT),
    "shelved": maybe(record(until=MOMENT, by=TEXT, reason=TEXT)),
    "has_why": FLAG,
}
NOTICE = record(
    alarm=WHOLE,
    channel=TEXT,
    what=one_of("raised", "ended", "escalated"),
    made=MOMENT,
    due=maybe(MOMENT),
    tries=COUNT,
    sent=maybe(MOMENT),
    problem=maybe(TEXT),
)
WHOLE_ALARM = record(**ALARM, why=maybe(either(part("Why"), part("WhyNot"))), notices=array(part("Notice")))
CHANNEL = record(name=TEXT, kind=one_of(*NEEDED), settings=by_name(TEXT))

LACKING = record(view=TEXT, name=TEXT, channel=TEXT)

PARTS: dict[str, Schema] = {"Alarm": record(**ALARM), "Notice": NOTICE, "Channel": CHANNEL}
NO_ALARM = {404: "there is no such alarm"}

OPERATIONS: Operations = {
    "GET /api/alarms": Operation(
        "The alarms that stand, then those that ended last; notices that did not get through; and "
        "the channels that alarms of views name and that are not there.",
        answers(record(alarms=array(part("Alarm")), untold=array(part("Notice")), lacking=array(LACKING))),
        asks=(Asked("ended", "so many of those that ended", whole(0, 1_000, 50)),),
    ),
    "GET /api/alarms/<int:identity>": Operation(
        "An alarm, why it was raised, and who was told.", answers(WHOLE_ALARM), refuses=NO_ALARM
    ),
    "POST /api/alarms/<int:identity>/acknowledge": Operation(
        "Say that one knows of it; the first who does so stays.",
        answers(part("Alarm")),
        body=body({"note": TEXT}),
        refuses=NO_ALARM,
    ),
    "POST /api/alarms/<int:identity>/clear": Operation(
        "Take an alarm off the list although its row is there.", answers(part("Alarm")), refuses=NO_ALARM
    ),
    "POST /api/alarms/<int:identity>/shelve": Operation(
        "Tell nobody for so long, of this alarm or of all of its name.",
        answers(part("Alarm")),
        body=body({"reason": TEXT, "whole": FLAG}, minutes=whole(1, MOST_MINUTES)),
        refuses=NO_ALARM,
    ),
    "POST /api/alarms/<int:identity>/unshelve": Operation(
        "Have it told again.", answers(part("Alarm")), refuses=NO_ALARM
    ),
    "GET /api/alarm-channels": Operation(
        "Who can be told of alarms; secrets are dots.", answers(record(channels=array(part("Channel"))))
    ),
    "PUT /api/alarm-channels/<name>": Operation(
        "Make a channel, or change it; a secret given as dots stays what it was.",
        answers(part("Channel")),
        body=body(kind=one_of(*NEEDED), settings=by_name({"type": "string", "maxLength": LONGEST})),
    ),
    "DELETE /api/alarm-channels/<name>": Operation("Remove a channel.", answers(record(removed=TEXT))),
    "POST /api/alarm-channels/<name>/try": Operation(
        "Tell a channel something now.",
        {200: Answer("it was told", record(told=TEXT))},
        refuses={502: "it could not be told, with the reason"},
    ),
    "POST /api/alarm-rules": Operation(
        "Write the text of a rule, which POST /api/views takes.",
        answers(record(sql=TEXT)),
        body={
            **body({"column": TEXT, "is": one_of(*COMPARED), "value": TEXT}, view=TEXT, name=text(60)),
            "additionalProperties": TEXT,
        },
    ),
}
