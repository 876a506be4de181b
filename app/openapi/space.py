"""The use of space: people, energy, sensors that are stuck, and what machines' tasks took."""

from app.openapi.operation import CSV, Answer, Asked, Operation, Operations, answers
from app.openapi.past import FORMAT, FROM, TO
from app.openapi.shapes import (
    COUNT,
    MOMENT,
    NUMBER,
    TEXT,
    WHOLE,
    Schema,
    array,
    maybe,
    named,
    one_of,
    record,
    whole,
)

FIGURE = maybe(NUMBER)
STRETCH: dict[str, Schema] = {"from": MOMENT, "to": MOMENT}
USE: dict[str, Schema] = {
    "place": {"type": ["string", "integer"]},
    "known_hours": FIGURE,
    "mean": FIGURE,
    "peak": FIGURE,
    "used_hours": FIGURE,
    "reserved_hours": FIGURE,
    "idle_hours": FIGURE,
}
ROOM = record(name=TEXT, kind=TEXT, floor=maybe(WHOLE), **USE)
BY_HOUR = {name: array(FIGURE) for name in ("mean", "peak", "used", "reserved", "idle", "kwh")}
DRAWN = record(
    of={"type": ["string", "integer"]}, name=TEXT, where={"type": ["string", "integer", "null"]}, kwh=NUMBER,
    cost=FIGURE, known_hours=FIGURE,
)  # fmt: skip
TARIFF = record(currency=TEXT, per_kwh=NUMBER)
STUCK = record(
    sensor=TEXT, name=TEXT, room=TEXT, room_name=TEXT, says=one_of("on", "off"), since=MOMENT, hours=NUMBER,
    why=TEXT,
)  # fmt: skip
TASK = record(task=TEXT, kwh=NUMBER, share=NUMBER, hours=NUMBER, cost=FIGURE)

PARTS: dict[str, Schema] = {}

OPERATIONS: Operations = {
    "GET /api/space/use": Operation(
        "How each floor and room was used, a day up to now unless told otherwise.",
        {
            200: Answer(
                "in whole hours",
                named({**STRETCH, "least": COUNT, "floors": array(record(**USE)), "rooms": array(ROOM)}),
                {CSV: TEXT},
            )
        },
        asks=(FROM, TO, FORMAT),
    ),
    "GET /api/space/hours": Operation(
        "The same by the hour, of a room, a floor, or all of the building.",
        {
            200: Answer(
                "arrays as long as at",
                named({**STRETCH, "least": COUNT, "at": array(MOMENT), **BY_HOUR}),
                {CSV: TEXT},
            )
        },
        asks=(
            FROM,
            TO,
            Asked("room", "of this room", TEXT),
            Asked("floor", "of this floor", whole(-1_000, 1_000)),
            FORMAT,
        ),
    ),
    "GET /api/space/energy": Operation(
        "What floors, rooms and machines drew, with its cost where there is a tariff.",
        {
            200: Answer(
                "in kilowatt hours",
                named(
                    {
                        **STRETCH,
                        "tariff": maybe(TARIFF),
                        "total": record(kwh=NUMBER, cost=FIGURE),
                        "floors": array(DRAWN),
                        "rooms": array(DRAWN),
                        "machines": array(DRAWN),
                    }
                ),
                {CSV: TEXT},
            )
        },
        asks=(FROM, TO, FORMAT),
    ),
    "GET /api/space/sensors": Operation(
        "Sensors that are stuck, and of which nothing is known.",
        answers(record(sensors=array(STUCK), unknown=array(TEXT))),
    ),
    "GET /api/machines/<machine>/tasks": Operation(
        "What a machine drew by task, an hour up to now unless told otherwise.",
        answers(
            named(
                {
                    "machine": TEXT,
                    **STRETCH,
                    "kwh": NUMBER,
                    "nobodys": NUMBER,
                    "currency": maybe(TEXT),
                    "tasks": array(TASK),
                }
            )
        ),
        asks=(FROM, TO),
    ),
}
